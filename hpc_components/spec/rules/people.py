import re
from collections.abc import Iterator

from hpc_components.catalog.account_names import reserved_names
from hpc_components.catalog.ssh_key import wrong_public_key
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Change, Level, Path, Problem
from hpc_components.spec.people import ADMIN_GROUP, People
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._people import GROUPS, ORGANIZATIONS, USERS, described_people, next_id
from hpc_components.spec.storage import LustreFileSystem
from hpc_components.spec.stores import home_store
from hpc_components.wording import closest_word, did_you_mean

MAX_NAME_LENGTH = 32
"""Source: useradd(8), and the column `user` of Slurm's accounting; longer names are cut off by `ps` and `w`."""

SLURM_WORDS = ("all", "default", "set", "where")
"""Words that Slurm reads as keywords where a user's name may stand. Source: sacctmgr(1)."""


@rule("HPC-PPL-001", Level.ERROR)
def names(cluster: ClusterSpec) -> Iterator[Problem]:
    """User and group names must have at most 32 lower-case letters, digits, `-` and `_`, and begin with a letter.

    Names of the system's own users and groups are not allowed. sacctmgr stores names in lower case. A dot is not
    allowed because `chown` accepts `user.group`. Source: useradd(8); sacctmgr(1).
    """
    people = described_people(cluster)
    for kind, given in ((USERS, people.users), (GROUPS, people.groups), (ORGANIZATIONS, cluster.organizations)):
        for name in given:
            if not re.fullmatch(rf"[a-z][a-z0-9_-]{{0,{MAX_NAME_LENGTH - 1}}}", name):
                proposed = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).lstrip("0123456789-_")[:MAX_NAME_LENGTH]
                example = f", e.g. {proposed}" if proposed and proposed != name else ""
                yield Problem(
                    path=(*kind, name),
                    reason=f"{name!r} is not a valid name",
                    remedy=f"use at most {MAX_NAME_LENGTH} lower-case letters, digits, hyphens and underscores, "
                    f"beginning with a letter{example}",
                )
            elif name == ADMIN_GROUP:
                yield Problem(
                    path=(*kind, name),
                    reason=f"the cluster itself has a group {name}",
                    remedy="remove it, and write admin: true for administrators",
                )
            elif name in reserved_names() or name in SLURM_WORDS:
                reason = (
                    "Slurm reads it as a keyword"
                    if name in SLURM_WORDS
                    else "nodes have a user or group of that name"
                )
                yield Problem(path=(*kind, name), reason=f"{name!r} is reserved: {reason}", remedy="use another name")


@rule("HPC-PPL-004", Level.ERROR)
def keys(cluster: ClusterSpec) -> Iterator[Problem]:
    """Keys must be public SSH keys that sshd accepts; RSA keys must have at least 2048 bits.

    A private key in a description must be replaced: whoever can read the repository has it. Source: RFC 4253, 6.6;
    RFC 5656, 3.1; RFC 8709, 4; OpenSSH, PROTOCOL.u2f.
    """
    for name, user in described_people(cluster).users.items():
        for number, key in enumerate(user.keys):
            if wrong := wrong_public_key(key):
                yield Problem(path=(*USERS, name, "keys", number), reason=wrong[0], remedy=wrong[1])


@rule("HPC-PPL-005", Level.ERROR)
def groups_exist(cluster: ClusterSpec) -> Iterator[Problem]:
    """The groups of a user and under `admit` must be described under `people.groups`.

    A group needs an id that is the same on all nodes. The members of the cluster's own group `hpc-admins` are the
    users with `admin: true`.
    """
    people = described_people(cluster)
    for path, name in _named_groups(people):
        if name == ADMIN_GROUP:
            yield Problem(
                path=path,
                value=name,
                reason=f"{name} has the users with admin: true as its members",
                remedy="leave it out, and write admin: true"
                if path[0:2] == USERS
                else "leave it out: administrators are always admitted",
            )
        elif name not in people.groups:
            yield Problem(
                path=path,
                value=name,
                reason=f"people.groups does not describe {name!r}",
                remedy=did_you_mean(name, people.groups, f"add people.groups.{name}: {{gid: {next_id(cluster)}}}"),
            )


def _named_groups(people: People) -> Iterator[tuple[Path, str]]:
    for number, group in enumerate(people.admit):
        yield ("people", "admit", number), group
    for name, user in people.users.items():
        for number, group in enumerate(user.groups):
            yield (*USERS, name, "groups", number), group


@rule("HPC-PPL-006", Level.WARNING)
def everyone_has_a_key(cluster: ClusterSpec) -> Iterator[Problem]:
    """Each user should have an SSH key.

    The cluster has no passwords, so a user without a key in the description, and without one in
    `~/.ssh/authorized_keys` from earlier, can't log in by SSH.
    """
    for name, user in cluster.users.items():
        if not user.keys:
            who = "the administrator" if user.admin else "the user"
            yield Problem(
                path=(*USERS, name),
                reason=f"{who} has no key and can't log in by SSH",
                remedy="ask for the line in id_ed25519.pub, and put it under keys",
            )


@rule("HPC-PPL-007", Level.ERROR)
def accounts_exist(cluster: ClusterSpec) -> Iterator[Problem]:
    """A user's account must be described under `slurm.accounting.accounts`.

    sacctmgr refuses a default account that does not exist. Source: sacctmgr(1), DefaultAccount.
    """
    accounting = cluster.accounting
    known = accounting.accounts if accounting else {}
    for name, user in described_people(cluster).users.items():
        if user.account is None or user.account in known:
            continue
        add = Change(("slurm", "accounting", "accounts", user.account), {})
        near = closest_word(user.account, known)
        path = (*USERS, name, "account")
        yield Problem(
            path=path,
            value=user.account,
            reason=f"slurm.accounting.accounts does not describe {user.account!r}",
            fix=(Change(path, near) if near else add,),
        )


@rule("HPC-PPL-008", Level.WARNING)
def everyone_has_an_account(cluster: ClusterSpec) -> Iterator[Problem]:
    """If there are accounts, each user should belong to one.

    Otherwise Slurm refuses the user's jobs: "Invalid account". Source: slurm.conf(5), AccountingStorageEnforce.
    """
    accounting = cluster.accounting
    if accounting is None or not accounting.accounts:
        return
    having = {user for account in accounting.accounts.values() for user in account.users}
    for name in cluster.users:
        if name not in having:
            yield Problem(
                path=(*USERS, name),
                reason="the user belongs to no account, so Slurm refuses the user's jobs",
                remedy=f"add account: {next(iter(accounting.accounts))}",
            )


@rule("HPC-PPL-009", Level.ERROR)
def personal_keys_are_shared(cluster: ClusterSpec) -> Iterator[Problem]:
    """`ssh_between_nodes: personal_keys` requires a shared `/home`.

    The head node makes each user's key in the user's home directory, where `ssh` and `sshd` on the other nodes look
    for it. Source: ssh_config(5), IdentityFile; sshd_config(5), AuthorizedKeysFile.
    """
    if described_people(cluster).ssh_between_nodes == "personal_keys" and home_store(cluster) is None:
        yield Problem(
            path=("people", "ssh_between_nodes"),
            value="personal_keys",
            reason="no file system is mounted at /home, so compute nodes would not have the keys",
            remedy="mount one, e.g. storage.home: {type: nfs, mount: /home, size: 1TiB}, or write host_based",
        )


@rule("HPC-PPL-010", Level.ERROR)
def quota_of_lustre(cluster: ClusterSpec) -> Iterator[Problem]:
    """`home_quota` requires a Lustre file system at `/home`.

    The head node sets it with Lustre's own tool. Source: FSx for Lustre user guide, "Storage quotas"; Azure Managed
    Lustre, "Use quotas"; Managed Lustre, "File system quotas".
    """
    quota, home = described_people(cluster).home_quota, home_store(cluster)
    if quota and not isinstance(home, LustreFileSystem):
        yield Problem(
            path=("people", "home_quota"),
            value=str(quota),
            reason="the file system at /home is not Lustre" if home else "no file system is mounted at /home",
            remedy="mount a file system of type lustre at /home, or remove home_quota",
        )
