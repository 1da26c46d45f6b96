"""Rules on whom limits and lists of accounts hold for."""

from collections.abc import Iterator, Mapping

from hpc_components.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import gpu_shares
from hpc_components.spec.queues import Queue
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import any_of
from hpc_components.spec.slurm import Account, Accounting
from hpc_components.spec.slurm_settings import global_settings, settings_of

__all__: list[str] = []


@rule("HPC-ACC-013", Level.WARNING)
def shares_of_gpus(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Where a QoS limits GPUs and a queue shares them, the QoS limits the shares too.

    Shares are not counted as `gres/gpu`: with 4 shards a GPU, 48 jobs of `--gres=shard:4` have 48 GPUs, whatever the
    limit on `gres/gpu`. Source: Slurm's GRES guide, "Sharding".
    """
    accounting = cluster.slurm.accounting or Accounting()
    for name, qos in accounting.qos.items() if accounting.accounts else ():
        limit = next((kind for kind in qos.max_tres_per_user if kind.partition(":")[0] == "gres/gpu"), None)
        free = [queue for queue in cluster.queues if limit and _shares_freely(queue, name, accounting)]
        if limit and free and (shares := gpu_shares(free[0])):
            gpus = qos.max_tres_per_user[limit]
            yield Problem(
                path=("slurm", "accounting", "qos", name, "max_tres_per_user", limit),
                value=gpus,
                reason=f"jobs that take a {shares[0]} of a GPU are not held to it: a user may have all GPUs of queue "
                f"{any_of(queue.name for queue in free)}",
                remedy=f"add gres/{shares[0]}: {gpus * shares[1]} beside it ({shares[1]} for each GPU)",
            )


def _shares_freely(queue: Queue, name: str, accounting: Accounting) -> bool:
    """Whether jobs of a QoS can have shares of a queue's GPUs, and no QoS limits them."""
    usable = {qos for account in accounting.accounts.values() for qos in account.qos} | {"normal", queue.qos}
    shares, own = gpu_shares(queue), accounting.qos.get(queue.qos or "")
    if shares is None or name not in usable:
        return False
    kind = f"gres/{shares[0]}"
    return kind not in accounting.qos[name].max_tres_per_user and (own is None or kind not in own.max_tres_per_user)


@rule("HPC-ACC-014", Level.WARNING)
def wckeys(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Workload keys are not asked for, because a description gives none to anybody.

    With `wckeys` or `all` in AccountingStorageEnforce, a job of somebody without one is refused: "Invalid wckey
    specification". Source: Slurm's own source, src/slurmctld/job_mgr.c; sacctmgr(1), DefaultWCKey.
    """
    setting = global_settings(cluster).get("accountingstorageenforce") if cluster.slurm.accounting else None
    asking = [word for word in setting.text.split(",") if word.lower() in ("wckeys", "all")] if setting else []
    if setting and asking:
        yield Problem(
            path=setting.path,
            value=setting.value,
            reason=f"{asking[0]} refuses every job of a user without a workload key, and those that are described "
            "have none (Invalid wckey specification)",
            remedy="use associations,limits,qos,safe; or give each user one with `sacctmgr`, as they come",
        )


@rule("HPC-ACC-015", Level.WARNING)
def accounts_below(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """With Slurm 22.05, a queue that lets in or keeps out an account names those below it too.

    AllowAccounts and DenyAccounts mean an account with all below it since 23.11 only; before, jobs of an account
    below are refused, or let in. Source: slurm.conf(5) of 22.05 and 23.11; Slurm's own source,
    src/slurmctld/partition_mgr.c.
    """
    accounts = cluster.slurm.accounting.accounts if cluster.slurm.accounting else {}
    for setting in settings_of(cluster) if cluster.slurm.version == "22.05" else ():
        key = setting.key.lower()
        if setting.scope != "partition" or key not in ("allowaccounts", "denyaccounts"):
            continue
        named = [name for name in setting.text.lower().split(",") if name]
        missing = [
            name
            for name, account in accounts.items()
            if name not in named and account.users and not _above(name, accounts).isdisjoint(named)
        ]
        if missing:
            done = "may not submit jobs" if key == "allowaccounts" else "are not kept out"
            yield Problem(
                path=setting.path,
                value=setting.value,
                reason=f"to Slurm 22.05 that is not the accounts below: users of {any_of(missing)} {done}",
                remedy=f"write {','.join([*named, *missing])}; or use slurm.version: 23.11 or later",
            )


def _above(name: str, accounts: Mapping[str, Account]) -> set[str]:
    """All accounts above one."""
    found: set[str] = set()
    while (account := accounts.get(name)) is not None and account.parent not in found:
        name = account.parent
        found.add(name)
    return found
