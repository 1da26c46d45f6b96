"""Rules on who may submit jobs to a queue."""

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
    """Accounts and QoS that a queue allows or denies must be described.

    Unknown names neither admit nor exclude anyone. Source: slurm.conf(5), AllowAccounts, AllowQos.
    """
    for setting, kind, names, known in _lists(cluster):
        for name in names:
            if name not in known:
                yield Problem(
                    path=setting.path,
                    value=setting.value,
                    reason=f"{name!r} is not described under slurm.accounting.{kind}",
                    remedy=did_you_mean(name, known, f"use {any_of(known)}", cutoff=0.7),
                )


@rule("HPC-ACC-015", Level.WARNING)
def accounts_below(cluster: ClusterSpec) -> Iterator[Problem]:
    """With Slurm 22.05, a queue that allows or denies an account must also name the accounts below it.

    AllowAccounts and DenyAccounts have included the accounts below only since 23.11. Earlier releases refuse jobs
    from those accounts despite AllowAccounts, and admit them despite DenyAccounts. Source: slurm.conf(5) of 22.05 and
    23.11; Slurm source code, src/slurmctld/partition_mgr.c.
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
            done = "may not submit jobs" if setting.key.lower() == "allowaccounts" else "are not excluded"
            yield Problem(
                path=setting.path,
                value=setting.value,
                reason=f"Slurm 22.05 does not include the accounts below: users of {any_of(missing)} {done}",
                remedy=f"write {','.join([*named, *missing])}; releases from 23.11 on include them",
            )


@rule("HPC-ACC-016", Level.WARNING)
def queue_admits_users(cluster: ClusterSpec) -> Iterator[Problem]:
    """At least one described user should be able to submit jobs to each queue.

    A user needs an account that the queue admits, and the account needs a QoS that the queue admits. This is a
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
            reason=f"queue {queue.name} refuses all users: "
            + (f"no account that it admits ({any_of(able)}) has a QoS that it admits" if able else "")
            + ("" if able else "it admits no account with users"),
            remedy=f"add a QoS of {any_of(able)} here, or one of these QoS to an account's qos"
            if able
            else f"admit an account with users: {any_of(having or users)}",
        )


@rule("HPC-SLM-035", Level.WARNING)
def users_may_submit(cluster: ClusterSpec) -> Iterator[Problem]:
    """Queues should accept jobs from ordinary users on any host.

    With RootOnly, only root may submit jobs. With AllocNodes, only users on the listed hosts may, and the names of
    login nodes are not known in advance. Source: slurm.conf(5), RootOnly, AllocNodes.
    """
    for setting in settings_of(cluster):
        key, value = setting.key.lower(), setting.text.lower()
        if setting.scope == "partition" and key == "rootonly" and value in TRUE:
            reason, remedy = "only root may submit a job", "leave it out (Hidden: true hides the queue in sinfo)"
        elif setting.scope == "partition" and key == "allocnodes" and value != "all":
            reason = f"only {setting.text} may submit jobs, and names of login nodes are not known in advance"
            remedy = "leave it out; AllowAccounts says who may submit"
        else:
            continue
        yield Problem(path=setting.path, value=setting.value, reason=reason, remedy=remedy)


@rule("HPC-SLM-033", Level.WARNING)
def alternate_queue(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue's `Alternate` must be the name of another queue in the cluster.

    Slurm uses it only if a job arrives while the queue is closed, and refuses the job if the alternate does not
    exist. Source: slurm.conf(5), Alternate; Slurm source code, src/slurmctld/job_mgr.c.
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
                remedy=did_you_mean(setting.text, others, "leave it out, or name another queue", cutoff=0.7),
            )


def lets_in_qos(queue: Queue, qos: str) -> bool:
    """Return whether a queue admits jobs with the given QoS."""
    return _lets_in(queue, "qos", {qos})


def lets_in_account(queue: Queue, name: str, cluster: ClusterSpec) -> bool:
    """Return whether a queue admits jobs of the account `name`."""
    accounts = described(cluster).accounts
    return _lets_in(
        queue,
        "accounts",
        {name} if cluster.slurm.version == "22.05" else {name, *above(name, accounts, MAX_ACCOUNT_LEVELS)},
    )


def _lets_in(queue: Queue, kind: str, names: set[str]) -> bool:
    """Return whether a queue admits any of these names, according to `Allow...` or, if that isn't set, `Deny...`."""
    allowed, denied = (queue_value(queue, f"{word}{kind}") for word in ("allow", "deny"))
    if allowed is not None and "all" not in _names(allowed):
        return not names.isdisjoint(_names(allowed))
    return names.isdisjoint(_names(denied or ""))


def _lists(cluster: ClusterSpec) -> Iterator[tuple[Setting, str, tuple[str, ...], tuple[str, ...]]]:
    """Yield (setting, kind, listed names, described names) for each queue setting that lists accounts or QoS.

    Account lists are yielded only if any account is described, and QoS lists only if any account or QoS is; otherwise
    users may add them with `sacctmgr`.
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
    """Return the names in a list, in lower case because that is how Slurm stores them."""
    return tuple(name for name in text.lower().split(",") if name)
