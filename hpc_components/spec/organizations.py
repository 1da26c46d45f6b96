"""Models of the organizations that share a cluster."""

from hpc_components.spec.budgets import SpendingBudget
from hpc_components.spec.model import Int, Model


class Organization(Model):
    """An organization that shares the cluster with others. Its people see neither the jobs nor the usage of other
    organizations, and can't read their directories.

    A user belongs to it by `organization` (`people.users`). Its name is also the name of:

    - a group of its people, with the id `gid`;
    - a Slurm account. An account of this name under `slurm.accounting.accounts` can set `fairshare` and `qos`;
      without one, the account is made. Accounts below it are its departments. Its people who are in none of these
      accounts use the account of the organization.

    If it is removed, its account stays for reports, but takes no more jobs, and its directory stays.
    """

    gid: Int
    """Id of its group, which no other group and no user may have."""
    administrators: tuple[str, ...] = ()
    """Users of the organization who control its jobs, and the limits of its accounts, in Slurm (coordinators)."""
    queues: tuple[str, ...] = ()
    """Queues that only this organization may use. Queues of no organization are open to all."""
    directory: str | None = None
    """Directory of the organization on a shared file system. Its people can read and write there, and others can't.
    Default: `/home/organizations/<name>`."""
    budget: SpendingBudget | None = None
    """What the jobs of all its accounts may cost together. Default: no limit."""


def directory_of(name: str, organization: Organization) -> str:
    return organization.directory or f"/home/organizations/{name}"
