from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.node_capacity import node_capacity
from hpc_components.spec.queues import Queue
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm import Accounting
from hpc_components.spec.slurm.account_tree import NORMAL, usable_qos
from hpc_components.spec.slurm.rules._accounting import QOS, described
from hpc_components.spec.slurm.settings import global_settings
from hpc_components.spec.slurm.tres import LIMITABLE, gpu_shares
from hpc_components.wording import any_of


@rule("HPC-ACC-013", Level.WARNING)
def shares_of_gpus(cluster: ClusterSpec) -> Iterator[Problem]:
    """A QoS that limits GPUs should also limit GPU shares if a queue that accepts the QoS shares its GPUs.

    Slurm does not count shares as `gres/gpu`. With 4 shards per GPU, 48 jobs with `--gres=shard:4` occupy 48 GPUs,
    regardless of the limit on `gres/gpu`. Source: Slurm's GRES guide, "Sharding".
    """
    accounting = described(cluster)
    for name, qos in accounting.qos.items() if accounting.accounts else ():
        limit = next((kind for kind in qos.max_tres_per_user if kind.partition(":")[0] == "gres/gpu"), None)
        free = [queue for queue in cluster.queues if limit and _shares_freely(queue, name, accounting)]
        if limit and free and (shares := gpu_shares(free[0])):
            gpus = qos.max_tres_per_user[limit]
            yield Problem(
                path=(*QOS, name, "max_tres_per_user", limit),
                value=gpus,
                reason=f"the limit does not apply to jobs that request only a part of a GPU (gres/{shares[0]}): a "
                f"single user could occupy all GPUs of queue {any_of(queue.name for queue in free)}",
                remedy=f"add gres/{shares[0]}: {gpus * shares[1]} ({shares[1]} per GPU)",
            )


def _shares_freely(queue: Queue, name: str, accounting: Accounting) -> bool:
    """Return whether jobs with the QoS `name` can use a queue's GPU shares without a limit."""
    usable = usable_qos(accounting.accounts) | {NORMAL, queue.qos}
    shares, own = gpu_shares(queue), accounting.qos.get(queue.qos or "")
    if shares is None or name not in usable:
        return False
    kind = f"gres/{shares[0]}"
    return kind not in accounting.qos[name].max_tres_per_user and (own is None or kind not in own.max_tres_per_user)


@rule("HPC-ACC-014", Level.WARNING)
def wckeys(cluster: ClusterSpec) -> Iterator[Problem]:
    """Slurm must not require workload keys, because a description can't assign them.

    With `wckeys` or `all` in AccountingStorageEnforce, Slurm refuses jobs from users without a workload key: "Invalid
    wckey specification". Source: Slurm source code, src/slurmctld/job_mgr.c; sacctmgr(1), DefaultWCKey.
    """
    setting = global_settings(cluster).get("accountingstorageenforce") if cluster.slurm.accounting else None
    asking = [word for word in setting.text.split(",") if word.lower() in ("wckeys", "all")] if setting else []
    if setting and asking:
        yield Problem(
            path=setting.path,
            value=setting.value,
            reason=f"with {asking[0]}, Slurm refuses jobs from users without a workload key (Invalid wckey "
            "specification), and a description can't assign one",
            remedy="use `associations,limits,qos,safe`, or assign each user a workload key with `sacctmgr`",
        )


@rule("HPC-ACC-019", Level.WARNING)
def memory_of_a_user(cluster: ClusterSpec) -> Iterator[Problem]:
    """A QoS's memory limit per user must be at least one CPU's share of memory, and in proportion to the CPU limit.

    `mem` is in MiB, so 768 is less than the smallest job takes; for 768 GiB, write 786432. If the QoS also limits
    CPUs, and `mem` is less than a hundredth of those CPUs' memory, the limit was probably meant in GiB. Source:
    sacctmgr(1), MaxTRESPerUser; memory as the operating system reports it.
    """
    shares = [has.memory_mib / has.cpus for queue in cluster.queues if (has := node_capacity(queue)) and has.cpus]
    for name, qos in described(cluster).qos.items() if shares else ():
        memory, cpus = qos.max_tres_per_user.get("mem", 0), qos.max_tres_per_user.get("cpu", 0)
        least = min(shares)
        if 0 < memory < max(least, least * cpus / 100):
            few = memory < least
            yield Problem(
                path=(*QOS, name, "max_tres_per_user", "mem"),
                value=memory,
                reason=f"the limit is only {memory} MiB, but "
                + (
                    f"one CPU's share is {least:,.0f} MiB, so a job that requests no memory never starts"
                    if few
                    else f"the {cpus} CPUs that a user may use have {least * cpus:,.0f} MiB"
                ),
                remedy=f"write {memory * 1024} if you meant GiB, or remove this limit",
            )


@rule("HPC-ACC-020", Level.WARNING)
def something_is_allowed(cluster: ClusterSpec) -> Iterator[Problem]:
    """A QoS must not limit CPUs, memory, nodes or billing to 0.

    0 does not mean no limit: jobs with the QoS would never start. Source: sacctmgr(1), MaxTRESPerUser.
    """
    for name, qos in described(cluster).qos.items():
        for kind in LIMITABLE:
            if qos.max_tres_per_user.get(kind) == 0:
                yield Problem(
                    path=(*QOS, name, "max_tres_per_user", kind),
                    value=0,
                    reason=f"with a limit of 0 {kind} per user, no job of QoS {name} ever starts",
                    remedy="remove this key if there should be no limit",
                )
