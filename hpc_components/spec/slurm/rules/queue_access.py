"""Rules on who may submit jobs to a queue."""

from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queues import Queue
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.account_tree import DEEPEST, NORMAL, ROOT, above, qos_of
from hpc_components.spec.slurm.rules._accounting import described
from hpc_components.spec.slurm.settings import Setting, queue_value, settings_of
from hpc_components.spec.slurm.values import TRUE
from hpc_components.wording import any_of, did_you_mean

__all__ = ["lets_in_account", "lets_in_qos"]


@rule("HPC-ACC-010", Level.WARNING)
def allowed_names(cluster: ClusterSpec) -> Iterator[Problem]:
    """Accounts and QoS that a queue lets in or keeps out are described.

    A name that does not exist admits nobody and keeps nobody out. Source: slurm.conf(5), AllowAccounts, AllowQos.
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
    """With Slurm 22.05, a queue that lets in or keeps out an account names those below it too.

    AllowAccounts and DenyAccounts mean an account with all below it since 23.11 only; before, jobs of an account
    below are refused, or let in. Source: slurm.conf(5) of 22.05 and 23.11; Slurm's own source,
    src/slurmctld/partition_mgr.c.
    """
    accounts = described(cluster).accounts
    for setting, kind, named, _ in _lists(cluster) if cluster.slurm.version == "22.05" else ():
        missing = [
            name
            for name, account in accounts.items()
            if name not in named and account.users and not set(above(name, accounts, DEEPEST)).isdisjoint(named)
        ]
        if kind == "accounts" and missing:
            done = "may not submit jobs" if setting.key.lower() == "allowaccounts" else "are not kept out"
            yield Problem(
                path=setting.path,
                value=setting.value,
                reason=f"to Slurm 22.05 that is not the accounts below: users of {any_of(missing)} {done}",
                remedy=f"write {','.join([*named, *missing])}; releases from 23.11 on read it so by themselves",
            )


@rule("HPC-ACC-016", Level.WARNING)
def somebody_is_let_in(cluster: ClusterSpec) -> Iterator[Problem]:
    """Somebody may submit jobs to a queue.

    A user needs an account that the queue lets in, with a QoS that it lets in. Users may come later (`sacctmgr add
    user`), but those described find a queue that refuses them all. Source: slurm.conf(5), AllowAccounts, AllowQos.
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
            reason=f"nobody may submit jobs to queue {queue.name}: "
            + (f"no account that it lets in ({any_of(able)}) has a QoS that it lets in" if able else "")
            + ("" if able else "it lets in no account that has users"),
            remedy=f"add a QoS of {any_of(able)} here, or one that is here to an account's qos"
            if able
            else f"let in an account with users: {any_of(having or users)}",
        )


@rule("HPC-SLM-035", Level.WARNING)
def users_may_submit(cluster: ClusterSpec) -> Iterator[Problem]:
    """A queue accepts jobs from ordinary users, on any host.

    With RootOnly only root may submit jobs, with AllocNodes only hosts of these names, and the names of login nodes
    are not known beforehand. Source: slurm.conf(5), RootOnly, AllocNodes.
    """
    for setting in settings_of(cluster):
        key, value = setting.key.lower(), setting.text.lower()
        if setting.scope == "partition" and key == "rootonly" and value in TRUE:
            reason, remedy = "nobody but root may submit a job", "leave it out (Hidden: true keeps it out of sinfo)"
        elif setting.scope == "partition" and key == "allocnodes" and value != "all":
            reason = f"jobs are taken from {setting.text} only, and login nodes get their names when they are made"
            remedy = "leave it out; AllowAccounts says who may submit"
        else:
            continue
        yield Problem(path=setting.path, value=setting.value, reason=reason, remedy=remedy)


@rule("HPC-SLM-033", Level.WARNING)
def alternate_queue(cluster: ClusterSpec) -> Iterator[Problem]:
    """`Alternate` names another queue of the cluster.

    Slurm looks for it only when the queue is closed and a job arrives, and then refuses the job. Source:
    slurm.conf(5), Alternate; Slurm's own source, src/slurmctld/job_mgr.c.
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
    """Whether a queue takes jobs of a QoS."""
    return _lets_in(queue, "qos", {qos})


def lets_in_account(queue: Queue, name: str, cluster: ClusterSpec) -> bool:
    """Whether a queue takes jobs of an account."""
    accounts = described(cluster).accounts
    return _lets_in(
        queue, "accounts", {name} if cluster.slurm.version == "22.05" else {name, *above(name, accounts, DEEPEST)}
    )


def _lets_in(queue: Queue, kind: str, names: set[str]) -> bool:
    """By `Allow...`; without that by `Deny...`, which Slurm reads only then."""
    allowed, denied = (queue_value(queue, f"{word}{kind}") for word in ("allow", "deny"))
    if allowed is not None and "all" not in _names(allowed):
        return not names.isdisjoint(_names(allowed))
    return names.isdisjoint(_names(denied or ""))


def _lists(cluster: ClusterSpec) -> Iterator[tuple[Setting, str, tuple[str, ...], tuple[str, ...]]]:
    """Lists of accounts and QoS of queues: the setting, the kind, the names in it, and those described.

    Accounts are judged where some are described, QoS where some of either are: else they come by `sacctmgr`.
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
    """The names of a list, in small letters as Slurm has them."""
    return tuple(name for name in text.lower().split(",") if name)
