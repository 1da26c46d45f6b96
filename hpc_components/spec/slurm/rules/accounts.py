import re
from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm import Accounting, Qos
from hpc_components.spec.slurm.account_tree import MAX_ACCOUNT_LEVELS, NORMAL, ROOT, above, usable_qos
from hpc_components.spec.slurm.rules._accounting import ACCOUNTS, QOS, described
from hpc_components.spec.slurm.rules._gres import counted
from hpc_components.spec.slurm.tres import LIMITABLE, counted_licenses
from hpc_components.wording import any_of, did_you_mean

SACCTMGR_WORDS = ("set", "where")

ALL_WORD = "all"

MAX_NUMBER = 2**32 - 3
"""Largest number that Slurm can store: it uses 32 bits and reserves the two highest values."""


@rule("HPC-ACC-001", Level.ERROR)
def names(cluster: ClusterSpec) -> Iterator[Problem]:
    """Account, QoS and user names must have at most 32 lower-case letters, digits and `-_.`, and begin with a letter.

    sacctmgr stores names in lower case and splits lists at commas. It reads `set` and `where` as keywords in any
    position. `all` means every account in AllowAccounts, and every QoS in AllowQos. Source: sacctmgr(1);
    slurm.conf(5); run on Slurm 22.05 and 24.11.
    """
    for path, name, word in _names(described(cluster)):
        if not re.fullmatch(r"[a-z][a-z0-9._-]{0,31}", name):
            yield Problem(
                path=path,
                value=name,
                reason=f"{name!r} is not a valid name for {word}",
                remedy="use at most 32 lower-case letters, digits, dots, hyphens and underscores, beginning with a "
                "letter",
            )
        elif name in SACCTMGR_WORDS:
            yield Problem(
                path=path,
                value=name,
                reason=f"sacctmgr reads {name!r} as a keyword, so it can't be the name of {word}",
                remedy="rename it",
            )
        elif name == ALL_WORD and word != "a user":
            yield Problem(
                path=path,
                value=name,
                reason=f"in Slurm, {name!r} means all accounts or QoS, so a queue that allows it admits all users",
                remedy="rename it",
            )
        elif name == ROOT and word == "an account":
            yield Problem(
                path=path,
                value=name,
                reason="this is the name of Slurm's own top-level account",
                remedy="rename it",
            )


def _names(accounting: Accounting) -> Iterator[tuple[Path, str, str]]:
    for name in accounting.qos:
        yield (*QOS, name), name, "a QoS"
    for name, account in accounting.accounts.items():
        yield (*ACCOUNTS, name), name, "an account"
        for number, user in enumerate(account.users):
            yield (*ACCOUNTS, name, "users", number), user, "a user"


@rule("HPC-ACC-002", Level.ERROR)
def parents(cluster: ClusterSpec) -> Iterator[Problem]:
    """An account's parent must be described; no account may be its own ancestor or have 64 or more ancestors.

    The limit on ancestors is our own: other rules look no further up the tree. Source: sacctmgr(1), parent.
    """
    accounts = described(cluster).accounts
    deepest = next(
        (name for name in accounts if len(above(name, accounts, MAX_ACCOUNT_LEVELS)) == MAX_ACCOUNT_LEVELS), None
    )
    if deepest is not None:
        yield Problem(
            path=(*ACCOUNTS, deepest, "parent"),
            value=accounts[deepest].parent,
            reason=f"account {deepest} has {MAX_ACCOUNT_LEVELS} or more ancestors",
            remedy=f"choose a parent that is closer to {ROOT}",
        )
    for name, account in accounts.items():
        path = (*ACCOUNTS, name, "parent")
        if account.parent != ROOT and account.parent not in accounts:
            yield Problem(
                path=path,
                value=account.parent,
                reason=f"there is no account {account.parent!r}",
                remedy=_did_you_mean(account.parent, (ROOT, *accounts)),
            )
        elif name != ROOT and name in above(name, accounts, MAX_ACCOUNT_LEVELS):
            reason = f"account {name} is its own ancestor"
            yield Problem(path=path, value=account.parent, reason=reason, remedy=f"use {ROOT}")


@rule("HPC-ACC-003", Level.ERROR)
def qos_of_accounts(cluster: ClusterSpec) -> Iterator[Problem]:
    """Every QoS that an account may use must be described, except `normal`.

    `normal` always exists. Source: sacctmgr(1), QosLevel.
    """
    accounting = described(cluster)
    for name, account in accounting.accounts.items():
        for number, qos in enumerate(account.qos):
            if qos not in (*accounting.qos, NORMAL):
                yield Problem(
                    path=(*ACCOUNTS, name, "qos", number),
                    value=qos,
                    reason=f"there is no QoS {qos!r}",
                    remedy=_did_you_mean(qos, (*accounting.qos, NORMAL)),
                )


@rule("HPC-ACC-004", Level.ERROR)
def limited_resources(cluster: ClusterSpec) -> Iterator[Problem]:
    """A QoS must limit only resources that the cluster counts.

    Slurm counts `cpu`, `mem`, `node` and `billing`, the generic resources of the cluster's nodes, and the licenses
    declared in `slurm.settings`. sacctmgr refuses limits on anything else. Source: slurm.conf(5),
    AccountingStorageTRES, Licenses; run on Slurm 22.05 and 24.11.
    """
    known = (*LIMITABLE, *counted(cluster), *counted_licenses(cluster.slurm.settings))
    for name, qos in described(cluster).qos.items():
        for kind, most in qos.max_tres_per_user.items():
            if kind not in known:
                yield Problem(
                    path=(*QOS, name, "max_tres_per_user", kind),
                    reason=f"Slurm doesn't count {kind!r} on this cluster",
                    remedy=_did_you_mean(kind, known)
                    if not kind.startswith("license/")
                    else "declare the license in slurm.settings, e.g. Licenses: "
                    f"{kind.removeprefix('license/')}:{most}",
                )


@rule("HPC-ACC-005", Level.ERROR)
def numbers(cluster: ClusterSpec) -> Iterator[Problem]:
    """Priorities, shares and limits must be non-negative 32-bit numbers, and time limits must be at least a minute.

    Slurm uses -1 for no limit; in a description, leave the limit out instead. Source: sacctmgr(1).
    """
    accounting = described(cluster)
    for path, number in _numbers(accounting):
        if not 0 <= number <= MAX_NUMBER:
            yield Problem(
                path=path, value=number, reason=f"Slurm can't store {number}", remedy=f"use 0 to {MAX_NUMBER}"
            )
    for name, qos in accounting.qos.items():
        if qos.max_wall is not None and qos.max_wall.seconds < 60:
            yield Problem(
                path=(*QOS, name, "max_wall"),
                value=str(qos.max_wall),
                reason="Slurm counts time limits in whole minutes, so no job could run",
                remedy="use 1m or more, or remove max_wall for no limit",
            )


def _numbers(accounting: Accounting) -> Iterator[tuple[Path, int]]:
    for name, qos in accounting.qos.items():
        yield (*QOS, name, "priority"), qos.priority
        for kind, count in qos.max_tres_per_user.items():
            yield (*QOS, name, "max_tres_per_user", kind), count
    for name, account in accounting.accounts.items():
        yield (*ACCOUNTS, name, "fairshare"), account.fairshare


@rule("HPC-ACC-006", Level.WARNING)
def limits_need_accounts(cluster: ClusterSpec) -> Iterator[Problem]:
    """A cluster with QoS limits should also have accounts.

    Slurm enforces limits only on jobs that belong to an account. Without accounts, it ignores everything about a QoS
    except its name. Source: slurm.conf(5), AccountingStorageEnforce.
    """
    accounting = described(cluster)
    for name, qos in accounting.qos.items() if not accounting.accounts else ():
        if qos != Qos():
            yield Problem(
                path=(*QOS, name),
                reason="without slurm.accounting.accounts, Slurm doesn't enforce this QoS",
                remedy="list the users who may submit jobs, e.g. accounts: {research: {users: [alice]}}",
            )


@rule("HPC-ACC-007", Level.WARNING)
def accounts_have_users(cluster: ClusterSpec) -> Iterator[Problem]:
    """If accounts are described, at least one should have users, or get them from a directory (`people.directory`).

    As soon as there are accounts, Slurm refuses jobs from users who don't belong to one. Source: slurm.conf(5),
    AccountingStorageEnforce.
    """
    accounts = described(cluster).accounts
    by_directory = cluster.directory is not None and (cluster.directory.account or cluster.directory.accounts)
    if accounts and not by_directory and not any(account.users for account in accounts.values()):
        yield Problem(
            path=ACCOUNTS,
            reason="no account has a user, so every job is refused",
            remedy="add users to an account, e.g. users: [alice], or run `sacctmgr add user` when users join",
        )


@rule("HPC-ACC-008", Level.WARNING)
def qos_is_used(cluster: ClusterSpec) -> Iterator[Problem]:
    """Every QoS should be used by an account or a queue.

    Otherwise, no job can use the QoS. Source: sacctmgr(1), QosLevel.
    """
    accounting = described(cluster)
    used = usable_qos(accounting.accounts) | {queue.qos for queue in cluster.queues if queue.qos} | {NORMAL}
    for name in accounting.qos:
        if name not in used:
            yield Problem(
                path=(*QOS, name),
                reason="no account or queue uses this QoS",
                remedy=f"add the QoS to an account (qos: [{NORMAL}, {name}]), or remove it",
            )


@rule("HPC-ACC-011", Level.WARNING)
def gpus_of_any_model(cluster: ClusterSpec) -> Iterator[Problem]:
    """A QoS that limits GPUs of a particular model should also limit `gres/gpu`.

    A limit on `gres/gpu:l4` does not apply to a job that requests GPUs without naming a model (`--gres=gpu:2`).
    Source: slurm.conf(5), AccountingStorageTRES; run on Slurm 22.05 and 24.11.
    """
    for name, qos in described(cluster).qos.items():
        for kind in qos.max_tres_per_user:
            if kind.startswith("gres/gpu:") and "gres/gpu" not in qos.max_tres_per_user:
                yield Problem(
                    path=(*QOS, name, "max_tres_per_user", kind),
                    reason="this limit doesn't apply to jobs that request GPUs without naming a model (--gres=gpu:2)",
                    remedy="limit gres/gpu instead, or limit both",
                )


@rule("HPC-ACC-012", Level.ERROR)
def default_accounts(cluster: ClusterSpec) -> Iterator[Problem]:
    """Users in an account's `default_for` must also be in its `users`, and must not have another default account.

    Source: sacctmgr(1), DefaultAccount.
    """
    accounts = described(cluster).accounts
    claimed: dict[str, str] = {}
    for name, account in accounts.items():
        for number, user in enumerate(account.default_for):
            path = (*ACCOUNTS, name, "default_for", number)
            if user not in account.users:
                yield Problem(
                    path=path,
                    value=user,
                    reason=f"user {user} is not one of the users of account {name}",
                    remedy=f"add {user} to this account's users, or remove this entry",
                )
            elif (other := claimed.setdefault(user, name)) != name:
                yield Problem(
                    path=path,
                    value=user,
                    reason=f"account {other} is also the default account of user {user}",
                    remedy="remove one of the two entries",
                )


def _did_you_mean(word: str, known: tuple[str, ...]) -> str:
    return did_you_mean(word, known, f"use {any_of(known)}", cutoff=0.7)
