from collections.abc import Iterator
from itertools import combinations
from pathlib import PurePosixPath

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.organizations import directory_of
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._people import GROUPS, ORGANIZATIONS, USERS, described_people
from hpc_components.spec.slurm.settings import queue_value, settings_of
from hpc_components.wording import any_of, did_you_mean

ACCOUNTS = ("slurm", "accounting", "accounts")


@rule("HPC-ORG-001", Level.ERROR)
def everyone_belongs_to_one(cluster: ClusterSpec) -> Iterator[Problem]:
    """If there are organizations, each user must belong to one, except administrators of the cluster.

    Whoever belongs to none could use all queues that are open to all, and would see other people's directories in
    shared groups.
    """
    known = cluster.organizations
    for name, user in described_people(cluster).users.items():
        if user.organization is not None and user.organization not in known:
            yield Problem(
                path=(*USERS, name, "organization"),
                value=user.organization,
                reason=f"organizations does not describe {user.organization!r}",
                remedy=did_you_mean(user.organization, known, f"add it to organizations, or use {any_of(known)}")
                if known
                else "add it to organizations, or remove this line",
            )
        elif user.organization is None and known and not user.admin:
            yield Problem(
                path=(*USERS, name),
                reason="the user belongs to no organization",
                remedy=f"add organization: {next(iter(known))}",
            )


@rule("HPC-ORG-002", Level.ERROR)
def administrators_belong(cluster: ClusterSpec) -> Iterator[Problem]:
    """An organization's administrators must be its own people.

    Its administrators see all of its jobs. Source: slurm.conf(5), PrivateData.
    """
    users = described_people(cluster).users
    for name, one in cluster.organizations.items():
        own = [user for user, described in users.items() if described.organization == name]
        for index, user in enumerate(one.administrators):
            if user not in own:
                yield Problem(
                    path=(*ORGANIZATIONS, name, "administrators", index),
                    value=user,
                    reason=f"{user!r} is not a user with organization: {name}",
                    remedy=did_you_mean(user, own, "use the login name of one of its people"),
                )


@rule("HPC-ORG-003", Level.ERROR)
def queues_of_one(cluster: ClusterSpec) -> Iterator[Problem]:
    """An organization's queues must exist, must not belong to another one, and must not set `AllowGroups`.

    The organization's group is in AllowGroups, and a queue's own setting would take its place. Source: slurm.conf(5),
    AllowGroups.
    """
    queues = {queue.name: queue for queue in cluster.queues}
    owners: dict[str, str] = {}
    for name, one in cluster.organizations.items():
        for index, queue in enumerate(one.queues):
            path = (*ORGANIZATIONS, name, "queues", index)
            if queue not in queues:
                remedy = did_you_mean(queue, queues, f"use {any_of(queues)}")
                yield Problem(path=path, value=queue, reason=f"the cluster has no queue {queue!r}", remedy=remedy)
            elif (owner := owners.setdefault(queue, name)) != name:
                remedy = "leave it out of one of them; a queue of no organization is open to all"
                yield Problem(path=path, value=queue, reason=f"{queue} also belongs to {owner}", remedy=remedy)
            elif queue_value(queues[queue], "allowgroups") is not None:
                reason = f"{queue} sets AllowGroups, which would take the place of {name}"
                yield Problem(path=path, value=queue, reason=reason, remedy="remove AllowGroups from the queue")


@rule("HPC-ORG-004", Level.ERROR)
def accounts_of_own_people(cluster: ClusterSpec) -> Iterator[Problem]:
    """Organizations need accounting, and users may use only the accounts of their organization.

    Usage counts toward an account and the accounts above it, and the coordinators of an account see its jobs. Source:
    sacctmgr(1), coordinator.
    """
    if cluster.organizations and cluster.slurm.accounting is None:
        yield Problem(
            path=ORGANIZATIONS,
            reason="without accounting, Slurm has no accounts for organizations",
            remedy="add slurm.accounting: {}",
        )
    users, owners = described_people(cluster).users, cluster.organization_of_account
    accounting = cluster.accounting if cluster.organizations else None
    for account, described in accounting.accounts.items() if accounting else ():
        for user in described.users:
            its = users[user].organization if user in users else None
            if its != owners.get(account):
                owner = f"organization {owners[account]}" if account in owners else "no organization"
                named = user in users and users[user].account == account
                yield Problem(
                    path=(*USERS, user, "account") if named else (*ACCOUNTS, account, "users"),
                    reason=f"account {account} belongs to {owner}, and {user} to {its or 'none'}",
                    remedy=f"use an account of {its}, or put this one below it with parent: {its}"
                    if its
                    else f"remove {user} from the account",
                )


@rule("HPC-ORG-005", Level.ERROR)
def groups_of_one(cluster: ClusterSpec) -> Iterator[Problem]:
    """The members of a group must belong to one organization.

    Files that a group can read would be shared between organizations.
    """
    people = described_people(cluster)
    for group in people.groups:
        its = {one.organization for one in people.users.values() if group in one.groups and one.organization}
        if len(its) > 1:
            yield Problem(
                path=(*GROUPS, group),
                reason=f"people of {' and '.join(sorted(its))} are members",
                remedy="make a group for each organization",
            )


@rule("HPC-ORG-006", Level.ERROR)
def directories_apart(cluster: ClusterSpec) -> Iterator[Problem]:
    """Each organization must have a separate directory on a shared file system.

    People could not reach a directory that is inside the directory of another organization.
    """
    mounts = [PurePosixPath(system.mount) for system in cluster.storage.values()]
    paths = {name: PurePosixPath(directory_of(name, one)) for name, one in cluster.organizations.items()}
    for name, path in paths.items():
        if ".." in path.parts or not any(mount in path.parents for mount in mounts):
            yield Problem(
                path=_directory(cluster, name),
                reason=f"{path} is not below a shared file system's mount, so other nodes would not have it",
                remedy=f"set directory: {mounts[0]}/{name}" if mounts else "add a file system to storage",
            )
    for (one, above), (name, path) in combinations(paths.items(), 2):
        if above == path or above in path.parents or path in above.parents:
            yield Problem(
                path=_directory(cluster, name),
                reason=f"{path} and {above}, the directory of {one}, are the same or one inside the other",
                remedy="use separate directories",
            )


def _directory(cluster: ClusterSpec, name: str) -> Path:
    path = (*ORGANIZATIONS, name)
    return path if cluster.organizations[name].directory is None else (*path, "directory")


@rule("HPC-ORG-007", Level.WARNING)
def someone_belongs(cluster: ClusterSpec) -> Iterator[Problem]:
    """Each organization should have people.

    Its queues stand empty without them.
    """
    having = {user.organization for user in cluster.users.values()}
    for name in cluster.organizations:
        if name not in having:
            yield Problem(
                path=(*ORGANIZATIONS, name),
                reason="none of this cluster's users belongs to it",
                remedy="name it as the organization of its people, or remove it",
            )


@rule("HPC-ORG-008", Level.ERROR)
def metrics_answer(cluster: ClusterSpec) -> Iterator[Problem]:
    """With organizations, Slurm 25.11 does not publish metrics.

    It refuses all requests for metrics if PrivateData hides anything. Source: Slurm source code, src/slurmctld/http.c
    of 25.11.
    """
    for setting in settings_of(cluster) if cluster.organizations else ():
        if setting.scope == "global" and setting.key.lower() == "metricstype":
            yield Problem(
                path=setting.path,
                value=setting.value,
                reason="Slurm 25.11 refuses requests for metrics if organizations hide their jobs from each other",
                remedy="remove MetricsType, or organizations",
            )
