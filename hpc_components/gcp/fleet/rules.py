from collections.abc import Iterator

from hpc_components.catalog import machine
from hpc_components.gcp.catalog.generations import is_previous_generation, newer_type
from hpc_components.gcp.catalog.machines import is_doubtful
from hpc_components.gcp.fleet.model import order_of
from hpc_components.gcp.fleet.offer import LIMITS, FleetOrder, refusals
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import in_region, queue_machines, uses
from hpc_components.spec.surfaces import Surface, offer_rules


def _orders(cluster: GcpClusterSpec) -> Iterator[tuple[FleetOrder, Surface]]:
    others = in_region(cluster)
    for index, queue in enumerate(cluster.queues):
        for path, known in queue_machines(index, queue):
            yield order_of(queue, ("queues", index), path, cluster, machine=known, others=others)


offer_rules(__name__, GcpClusterSpec, LIMITS, refusals, _orders)


@rule("HPC-MCH-021", Level.WARNING)
def newer_family(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Avoid machines of a previous generation, such as N1.

    They are slower for the same price, have slower networks, and don't support Hyperdisk. Source: Compute Engine
    documentation, "Machine families resource and comparison guide", series of previous generations.
    """
    for use in uses(cluster):
        if is_previous_generation(use.name):
            newer = newer_type(use.name)
            known = newer is not None and machine(cluster.cloud, newer) is not None
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"{use.name} is a previous-generation machine type",
                remedy=f"use {newer}"
                if known
                else "use a machine type of a newer family (to list them, run hpc machines)",
            )


@rule("HPC-MCH-024", Level.WARNING)
def doubtful_zone(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Avoid zones where sources disagree about whether the machine is offered.

    For A2 machines, skypilot-catalog lists three zones that an earlier response from the Compute Engine API (2023-05)
    doesn't include. If the account itself was asked (`hpc preflight STACK --keep`), its answer counts instead.
    Source: the catalogue's doubtful zones.
    """
    for use in uses(cluster):
        for zone in use.zones:
            if is_doubtful(use.name, zone) and not (use.facts and cluster.region in use.facts.own_facts):
                yield Problem(
                    path=use.path,
                    value=use.name,
                    reason=f"sources disagree about whether {use.name} is offered in {zone}",
                    remedy=f"check that `gcloud compute machine-types list --zones {zone}` lists the machine type, "
                    "or use another zone in the region",
                )
