"""Rules for quotas. They compare the needs of a full cluster with the default quotas of a new project."""

from collections.abc import Iterator

from hpc_components.gcp.catalog.quotas import service_quota
from hpc_components.gcp.network_cards.carded_queues import carded
from hpc_components.gcp.placement.policy_limits import most_in_policy
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import placement
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, queue_machines
from hpc_components.spec.rules._quotas import QuotaSum, about_quota


@rule("HPC-QTA-010", Level.WARNING)
def gpus_of_a_project(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The project's GPU quota for all regions must be large enough for the cluster when all queues are full.

    This quota applies in addition to the quotas per model and region. As far as we know, it is zero in a new project.
    A reservation in the cluster's own project was already counted when it was created, so its machines need no
    further quota. A reservation shared by another project counts against the quotas of both projects. Source: Compute
    Engine documentation, "Allocation quotas", GPU quota, and "Create a shared reservation"; Cluster Toolkit 1.95.0,
    pkg/validators/quota.go, which does not count machines from a reservation.
    """
    need = QuotaSum(service_quota("GPUS_ALL_REGIONS"))
    for index, queue in enumerate(cluster.queues):
        most = max((found.gpu_count for name in queue.machines if (found := facts(cluster, name))), default=0)
        if most and not cluster.holds_quota(queue):
            need.parts.append((most * queue.max, f"queue {queue.name}", ("queues", index, "max")))
    yield from _above(cluster, need, "GPUs")


@rule("HPC-QTA-011", Level.WARNING)
def networks_of_a_project(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The network quota must cover all of the cluster's networks, including those for additional network cards.

    An a3-megagpu-8g machine needs nine networks. Source: VPC documentation, "Quotas and limits".
    """
    need = QuotaSum(service_quota("networks"))
    if cluster.network.cidr is None:
        return
    need.parts.append((1, "nodes", ("network",)))
    told: set[tuple[str, str | None]] = set()
    for each in carded(cluster):
        for kind in each.kinds:
            if (each.zone, kind.profile) not in told:
                told.add((each.zone, kind.profile))
                need.parts.append((kind.networks, f"{kind.nic_type} cards in {each.zone}", each.path))
    yield from _above(cluster, need, "networks")


@rule("HPC-QTA-012", Level.WARNING)
def policies_of_a_project(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The quota for resource policies must cover the compact placement policies needed when all queues are full.

    Source: Compute Engine documentation, "Allocation quotas", resource policies.
    """
    need = QuotaSum(service_quota("resource_policies"))
    for index, queue in enumerate(cluster.queues):
        for _, machine in queue_machines(index, queue) if placement(queue) == "cluster" else ():
            try:
                most = most_in_policy(machine, queue.max_distance)
            except ValueError:
                continue
            if most:
                need.parts.append((-(-queue.max // most), f"queue {queue.name}", ("queues", index, "max")))
                break
    yield from _above(cluster, need, "resource policies")


def _above(cluster: GcpClusterSpec, need: QuotaSum, what: str) -> Iterator[Problem]:
    quota, allowed = need.quota, need.quota.default
    if not need.parts or allowed is None or need.total <= allowed:
        return
    path: Path = need.path
    yield Problem(
        path=path,
        value=need.total,
        reason=f"the full cluster needs {need.total:,} {what} ({need.text}), but the quota of a new project is "
        f"{allowed:,}" + (", as far as we know" if "default" in quota.unsure else ""),
        remedy=f"request a value of {need.total:,} for {quota.code} ({quota.name}) under IAM & Admin, Quotas in "
        f"project {cluster.project}, several days in advance",
        about=about_quota(quota, cluster.region),
    )
