from collections.abc import Iterator

from hpc_components.catalog import Purchase, quota
from hpc_components.catalog.clouds import catalog_of
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import quota_market
from hpc_components.spec.queues import Queue
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, words_of
from hpc_components.spec.rules._quotas import QuotaSum, about_quota


@rule("HPC-QTA-001", Level.WARNING)
def vcpus(cluster: ClusterSpec) -> Iterator[Problem]:
    """The vCPU quotas should be sufficient for the cluster with all queues full.

    EC2 limits the number of running vCPUs per machine class and region. A new account may run 5 vCPUs in the standard
    class and none in the others. This rule can't see your account's quotas and usage, so request the total before the
    first job needs it.

    Reserved machines count against a quota even while they are unused, so a quota that is used only by reserved
    machines must already be sufficient. Capacity blocks are not included in the total, because they are paid for in
    advance. Source: on AWS, Service Quotas, EC2, and EC2 API reference, error codes, InstanceLimitExceeded; on Azure,
    Virtual Machines documentation, "On-demand capacity reservation".
    """
    for need in _vcpu_needs(cluster):
        allowed = need.quota.default
        if allowed is None or need.total < allowed or not need.is_new:
            continue
        code = f"{need.quota.code} ({need.quota.name})" if need.quota.code else need.quota.name
        enough = need.total == allowed
        yield Problem(
            path=need.path,
            value=need.total,
            reason=f"the full cluster runs {need.total:,} vCPUs ({need.text}), and a new account may run at most "
            f"{allowed:,}",
            remedy=f"quota {code} must be at least {need.total:,} in {cluster.region}: "
            + (
                f"request an increase in {words_of(cluster).quotas} if this account runs anything else"
                if enough
                else f"request the increase in {words_of(cluster).quotas} several days in advance"
            ),
            level=Level.INFO if enough else None,
            about=about_quota(need.quota, cluster.region),
        )


def _vcpu_needs(cluster: ClusterSpec) -> list[QuotaSum]:
    needs: dict[str, QuotaSum] = {}
    counted_vcpus = catalog_of(cluster.cloud).counted_vcpus

    def add(name: str, count: int, purchase: Purchase, what: str, path: Path, *, held: bool = False) -> None:
        machine = facts(cluster, name)
        counted = quota(machine, purchase) if machine else None
        if machine and counted:
            need = needs.setdefault(counted.key, QuotaSum(counted))
            need.parts.append((counted_vcpus(machine) * count, what, path))
            need.is_new |= not held

    add(cluster.head_node.machine, 1, "on_demand", "head node", ("head_node", "machine"))
    if login := cluster.login_nodes:
        add(login.machine, login.max, "on_demand", "login nodes", ("login_nodes", "max"))
    for index, queue in enumerate(cluster.queues):
        if market := quota_market(queue):
            for name in _largest_of_each_class(cluster, queue, market):
                held = cluster.holds_quota(queue)
                add(name, queue.max, market, f"queue {queue.name}", ("queues", index, "max"), held=held)
    return list(needs.values())


def _largest_of_each_class(cluster: ClusterSpec, queue: Queue, market: Purchase) -> list[str]:
    """Return, for each quota, the queue's machine type with the most vCPUs. This is the worst case: the whole queue
    may consist of that type.
    """
    largest: dict[str, tuple[int, str]] = {}
    counted_vcpus = catalog_of(cluster.cloud).counted_vcpus
    for name in queue.machines:
        machine = facts(cluster, name)
        counted = quota(machine, market) if machine else None
        if machine and counted:
            largest[counted.key] = max(largest.get(counted.key, (0, "")), (counted_vcpus(machine), name))
    return [name for _, name in largest.values()]
