"""Rules on Tier_1 networking."""

from collections.abc import Iterator

from hpc_components.gcp.catalog.tier_1 import has_tier_1, tier_1_refusals
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import in_region, nearest, queue_machines
from hpc_components.wording import any_of


@rule("HPC-TIR-001", Level.ERROR)
def machine_with_tier_1(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A queue with `tier_1` has machines that support it: certain series, from about 30 vCPUs up.

    H3 and H4D have their full bandwidth without it. Source: Compute Engine documentation, "Configure per VM Tier_1
    networking performance", machine types.
    """
    for index, queue in enumerate(cluster.queues):
        for path, machine in queue_machines(index, queue) if queue.tier_1 else ():
            for refusal in tier_1_refusals(machine):
                able = [m for m in in_region(cluster) if has_tier_1(m) and m.arch == machine.arch]
                near = nearest(machine, [m for m in able if m.family == machine.family] or able)
                yield Problem(
                    path=path,
                    value=machine.name,
                    reason=f"Tier_1 networking is for {machine.family} with {refusal.allowed[0]} vCPUs or more, and"
                    f" {machine.name} has {machine.vcpus}"
                    if refusal.allowed and machine.vcpus < int(refusal.allowed[0])
                    else f"{machine.name} does not support Tier_1 networking",
                    remedy="use tier_1: false" + (f", or machine: {any_of(near)}" if near else ""),
                )
