"""Models of the people of a cluster: its users and groups."""

from typing import Literal

from hpc_components.spec.budgets import SpendingBudget
from hpc_components.spec.directory import Directory
from hpc_components.spec.model import Flag, Int, Model
from hpc_components.spec.values import Day, Size

ADMIN_GROUP = "hpc-admins"
"""Group of the users with `admin: true`."""

ADMIN_GID = 1999
"""Id of the group `hpc-admins`. It is below the ids of users, and above 500, below which libnss-extrausers ignores
ids. Source: libnss-extrausers 0.6, README."""


SshBetweenNodes = Literal["host_based", "personal_keys"]


class Group(Model):
    """A Unix group."""

    gid: Int
    """Id of the group, which no other group and no user may have."""


class User(Model):
    """A person who may log in and submit jobs."""

    uid: Int
    """Id of the user, which no one else may have, even after the user has left: files belong to ids. A group with
    the same name and id is the user's primary group."""
    full_name: str = ""
    """The person's name, e.g. `Ada Lovelace`."""
    keys: tuple[str, ...] = ()
    """Public SSH keys, each written like the line in `id_ed25519.pub`. The user may add others in
    `~/.ssh/authorized_keys`."""
    groups: tuple[str, ...] = ()
    """Further groups of the user, from `people.groups`."""
    organization: str | None = None
    """Organization that the user belongs to, from `organizations`."""
    account: str | None = None
    """Slurm account that the user's jobs use by default. Accounts can also list users (`users`, `default_for`)."""
    admin: Flag = False
    """Whether the user administers the cluster: may use `sudo` on all nodes, log in to compute nodes without a job
    there, and control the jobs of others."""
    expires: Day | None = None
    """Last day on which the user may use the cluster, in UTC. Default: no end."""
    budget: SpendingBudget | None = None
    """What the user's jobs may cost. Slurm has a limit for each account of a user, so the user must have only one.
    Default: no limit."""


class People(Model):
    """The people of a cluster. They exist on all nodes, with the same ids, and follow changes while nodes run."""

    files: tuple[str, ...] = ()
    """YAML files with the keys `users` and `groups`, which several stacks can share. Paths are relative to the
    directory that contains `Pulumi.yaml`."""
    users: dict[str, User] = {}
    """Users, keyed by login name."""
    groups: dict[str, Group] = {}
    """Groups, keyed by name."""
    admit: tuple[str, ...] = ()
    """Groups whose members are users of this cluster; other users are left out, unless they have `admin: true`.
    Default: all users."""
    directory: Directory | None = None
    """LDAP directory or Active Directory that names further users. A user who is described here as well is as
    described."""
    home_quota: Size | None = None
    """Maximum size of the files of each user on the file system of `/home`, which must be Lustre. Default: no
    maximum."""
    ssh_between_nodes: SshBetweenNodes = "host_based"
    """How compute nodes recognize users who come from another node by `ssh`. With `host_based`, they trust that
    node's host key. With `personal_keys`, for policies that forbid host-based login, the head node makes a key for
    each user, `~/.ssh/id_hpc`."""
    waiting_jobs: Literal["cancel", "hold"] = "cancel"
    """What happens to the waiting jobs of a user who is removed or expires. Running jobs are cancelled in either
    case."""

    @property
    def admitted(self) -> dict[str, User]:
        """The users of this cluster, keyed by login name."""
        groups = frozenset(self.admit)
        return {
            name: user
            for name, user in self.users.items()
            if not groups or user.admin or not groups.isdisjoint(user.groups)
        }

    @property
    def members(self) -> dict[str, tuple[str, ...]]:
        """Login names of the members of each group, including `hpc-admins`, keyed by group name."""
        users = self.admitted
        members = {name: tuple(one for one, user in users.items() if name in user.groups) for name in self.groups}
        return members | {ADMIN_GROUP: tuple(one for one, user in users.items() if user.admin)}
