from collections.abc import Iterator

from hpc_components.azure.catalog.quotas import counted_vcpus, regional_quota
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import market_of
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts
from hpc_components.spec.rules._quotas import QuotaSum, about_quota


@rule("HPC-QTA-008", Level.WARNING)
def regional_cores(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The regional core quota should be large enough for the cluster when all queues are full.

    This quota must be raised in addition to the quotas for machine series. Spot machines have a separate quota.
    Source: Azure documentation, "Azure subscription and service limits", Virtual machines.
    """
    quota = regional_quota("on_demand")
    if quota is None:
        return
    need = QuotaSum(quota)
    nodes: list[tuple[str, int, str, Path]] = [(cluster.head_node.machine, 1, "head node", ("head_node", "machine"))]
    if login := cluster.login_nodes:
        nodes.append((login.machine, login.max, "login nodes", ("login_nodes", "max")))
    for index, queue in enumerate(cluster.queues):
        if market_of(queue) == "on_demand":
            most = max(queue.machines, key=lambda name: found.vcpus if (found := facts(cluster, name)) else 0)
            nodes.append((most, queue.max, f"queue {queue.name}", ("queues", index, "max")))
    for name, count, what, path in nodes:
        if found := facts(cluster, name):
            need.parts.append((counted_vcpus(found) * count, what, path))
    if need.parts and quota.default is not None and need.total > quota.default:
        yield Problem(
            path=need.path,
            value=need.total,
            reason=f"the full cluster runs {need.total:,} vCPUs ({need.text}), but a new subscription is limited to "
            f"{quota.default} per region",
            remedy=f"on the Quotas page of the Azure portal, request {need.total:,} for {quota.code} ({quota.name}) "
            f"in {cluster.region}, in addition to the quotas for the machine series",
            about=about_quota(need.quota, cluster.region),
        )
