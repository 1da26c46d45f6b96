from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queues import Queue
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.account_tree import MAX_ACCOUNT_LEVELS, NORMAL, ROOT, above, qos_of
from hpc_components.spec.slurm.rules._accounting import described
from hpc_components.spec.slurm.settings import Setting, queue_value, settings_of
from hpc_components.spec.slurm.values import TRUE
from hpc_components.wording import any_of, did_you_mean


@rule("HPC-ACC-010", Level.WARNING)
def allowed_names(cluster: ClusterSpec) -> Iterator[Problem]:
    """Accounts and QoS that a queue allows or denies must be in the description.

    An unknown name neither admits nor excludes anyone. Source: slurm.conf(5), AllowAccounts, AllowQos.
    """
    for setting, kind, names, known in _lists(cluster):
        for name in names:
            if name not in known:
                yield Problem(
                    path=setting.path,
                    value=setting.value,
                    reason=f"{name!r} is not defined in slurm.accounting.{kind}",
                    remedy=did_you_mean(name, known, f"use {any_of(known)}", cutoff=0.7),
                )


@rule("HPC-ACC-015", Level.WARNING)
def accounts_below(cluster: ClusterSpec) -> Iterator[Problem]:
    """With Slurm 22.05, a queue that allows or denies an account must also list the account's subaccounts.

    AllowAccounts and DenyAccounts have included subaccounts only since 23.11. Earlier releases refuse jobs from
    subaccounts despite AllowAccounts, and admit them despite DenyAccounts. Source: slurm.conf(5) of 22.05 and 23.11;
    Slurm source code, src/slurmctld/partition_mgr.c.
    """
    accounts = described(cluster).accounts
    for setting, kind, named, _ in _lists(cluster) if cluster.slurm.version == "22.05" else ():
        missing = [
            name
            for name, account in accounts.items()
            if name not in named
            and account.users
            and not set(above(name, accounts, MAX_ACCOUNT_LEVELS)).isdisjoint(named)
        ]
        if kind == "accounts" and missing:
            done = "can't submit jobs" if setting.key.lower() == "allowaccounts" else "are not excluded"
            yield Problem(
                path=setting.path,
                value=setting.value,
                reason=f"Slurm 22.05 does not include subaccounts, so users of {any_of(missing)} {done}",
                remedy=f"write {','.join([*named, *missing])}; Slurm 23.11 and later include subaccounts",
            )


@rule("HPC-ACC-016", Level.WARNING)
def queue_admits_users(cluster: ClusterSpec) -> Iterator[Problem]:
    """Each queue should accept jobs from at least one user in the description.

    A user needs an account that the queue admits, and that account needs a QoS that the queue admits. This is only a
    warning, because users may be added later (`sacctmgr add user`). Source: slurm.conf(5), AllowAccounts, AllowQos.
    """
    accounts = described(cluster).accounts
    users = {name: account.users for name, account in accounts.items() if account.users}
    every = list(_lists(cluster)) if users else []
    for index, queue in enumerate(cluster.queues):
        lists = [one for one in every if one[0].path[1] == index]
        if not lists or any(not set(names) <= set(known) for _, _, names, known in lists):
            continue
        able = [name for name in users if lets_in_account(queue, name, cluster)]
        if any(lets_in_qos(queue, qos) for name in able for qos in qos_of(name, accounts)):
            continue
        setting = next(one for one, kind, *_ in lists if not able or kind == "qos")
        having = [name for name in users if any(lets_in_qos(queue, qos) for qos in qos_of(name, accounts))]
        yield Problem(
            path=setting.path,
            value=setting.value,
            reason=f"no user can submit jobs to queue {queue.name}: none of the accounts that it admits "
            + (f"({any_of(able)}) may use a QoS that it admits" if able else "has users"),
            remedy=f"allow a QoS of account {any_of(able)} here, or give the account a QoS that this queue admits"
            if able
            else f"admit an account that has users: {any_of(having or users)}",
        )


@rule("HPC-SLM-035", Level.WARNING)
def users_may_submit(cluster: ClusterSpec) -> Iterator[Problem]:
    """Queues should accept jobs from ordinary users on any host.

    With RootOnly, only root may submit jobs. With AllocNodes, only users on the listed hosts may do so, but login
    node names are not known in advance. Source: slurm.conf(5), RootOnly, AllocNodes.
    """
    for setting in settings_of(cluster):
        key, value = setting.key.lower(), setting.text.lower()
        if setting.scope == "partition" and key == "rootonly" and value in TRUE:
            reason, remedy = (
                "only root may submit jobs",
                "remove RootOnly; to hide the queue in sinfo, use Hidden: true",
            )
        elif setting.scope == "partition" and key == "allocnodes" and value != "all":
            reason = f"only users on {setting.text} may submit jobs, but login node names are not known in advance"
            remedy = "remove AllocNodes; to restrict who may submit jobs, use AllowAccounts"
        else:
            continue
        yield Problem(path=setting.path, value=setting.value, reason=reason, remedy=remedy)


@rule("HPC-SLM-033", Level.WARNING)
def alternate_queue(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue's `Alternate` must be the name of another queue in the cluster.

    Slurm uses the alternate queue only for jobs that arrive while the queue is closed, and refuses these jobs if the
    alternate does not exist. Source: slurm.conf(5), Alternate; Slurm source code, src/slurmctld/job_mgr.c.
    """
    for setting in settings_of(cluster):
        if setting.scope != "partition" or setting.key.lower() != "alternate":
            continue
        own = cluster.queues[int(setting.path[1])].name
        others = tuple(queue.name for queue in cluster.queues if queue.name != own)
        if setting.text not in others:
            yield Problem(
                path=setting.path,
                value=setting.value,
                reason=f"{setting.text} is the queue itself"
                if setting.text == own
                else f"there is no queue {setting.text}",
                remedy=did_you_mean(setting.text, others, "remove Alternate, or specify another queue", cutoff=0.7),
            )


def lets_in_qos(queue: Queue, qos: str) -> bool:
    return _lets_in(queue, "qos", {qos})


def lets_in_account(queue: Queue, name: str, cluster: ClusterSpec) -> bool:
    accounts = described(cluster).accounts
    return _lets_in(
        queue,
        "accounts",
        {name} if cluster.slurm.version == "22.05" else {name, *above(name, accounts, MAX_ACCOUNT_LEVELS)},
    )


def _lets_in(queue: Queue, kind: str, names: set[str]) -> bool:
    """Return whether a queue admits any of these names. `Deny...` is considered only if `Allow...` is missing or
    contains `all`.
    """
    allowed, denied = (queue_value(queue, f"{word}{kind}") for word in ("allow", "deny"))
    if allowed is not None and "all" not in _names(allowed):
        return not names.isdisjoint(_names(allowed))
    return names.isdisjoint(_names(denied or ""))


def _lists(cluster: ClusterSpec) -> Iterator[tuple[Setting, str, tuple[str, ...], tuple[str, ...]]]:
    """Yield (setting, kind, listed names, described names) for each queue setting that lists accounts or QoS.

    Account lists are yielded only if the description has accounts, and QoS lists only if it has accounts or QoS.
    Otherwise, the listed names can't be checked, because they may be added later with `sacctmgr`.
    """
    accounting = described(cluster)
    known = {
        "accounts": (ROOT, *accounting.accounts) if accounting.accounts else (),
        "qos": (NORMAL, *accounting.qos) if accounting.accounts or accounting.qos else (),
    }
    for setting in settings_of(cluster):
        key = setting.key.lower()
        kind = key.removeprefix("allow").removeprefix("deny")
        if setting.scope == "partition" and kind != key and known.get(kind):
            yield setting, kind, tuple(name for name in _names(setting.text) if name != "all"), known[kind]


def _names(text: str) -> tuple[str, ...]:
    """Split a comma-separated list. Names are returned in lower case, as Slurm stores them."""
    return tuple(name for name in text.lower().split(",") if name)
