"""Rules on quotas: what the full cluster needs, compared with a new subscription."""

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
    """The regional core quota should be large enough for the cluster with all queues full.

    It must be raised in addition to the machine series' quotas. Spot machines have a separate quota. Source: Azure
    documentation, "Azure subscription and service limits", Virtual machines.
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
            reason=f"the full cluster runs {need.total:,} vCPUs ({need.text}), and a new subscription may run"
            f" {quota.default} in a region",
            remedy=f"request {need.total:,} of {quota.code} ({quota.name}) in {cluster.region}, in addition to the"
            " quotas of the series, on the page Quotas of the Azure portal",
            about=about_quota(need.quota, cluster.region),
        )
