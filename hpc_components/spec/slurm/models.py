from collections.abc import Sequence
from typing import Literal, Self

from hpc_components.spec.budgets import SpendingBudget
from hpc_components.spec.model import Flag, Int, Model
from hpc_components.spec.values import Duration


class Database(Model):
    """An existing MySQL or MariaDB database."""

    host: str
    """Host name or address, without a scheme."""
    port: Int = 3306
    """TCP port of the database server."""
    user: str = "slurm"
    """Database user, who must be allowed to create tables."""
    name: str = "slurm_acct_db"
    """Name of the database."""
    password_secret: str
    """Full name of the secret that holds the password. On AWS, this is its ARN."""


QosFlag = Literal[
    "DenyOnLimit", "EnforceUsageThreshold", "NoDecay", "NoReserve", "OverPartQOS", "PartitionMaxNodes",
    "PartitionMinNodes", "PartitionTimeLimit", "RequiresReservation", "UsageFactorSafe",
]  # fmt: skip
"""QoS flags in Slurm 22.05 to 25.11. Source: sacctmgr(1) of these releases."""


class Qos(Model):
    """A quality of service (QoS): a named set of limits and a priority for jobs."""

    priority: Int = 0
    """Priority of jobs with this QoS, relative to jobs with other QoS."""
    max_wall: Duration | None = None
    """Maximum run time of a job."""
    max_tres_per_user: dict[str, Int] = {}
    """Maximum amount of each resource that a user's jobs may use at the same time: `cpu`, `mem` (MiB), `node`,
    `billing`, `gres/gpu`, `gres/gpu:h100`, `license/matlab`, ..."""
    flags: tuple[QosFlag, ...] = ()
    """Slurm's QoS flags. With `DenyOnLimit`, a job that exceeds a limit is refused at submission instead of waiting
    forever."""


class Account(Model):
    """A group of users whose usage is added up, such as a department or a project."""

    parent: str = "root"
    """Parent account. This account's usage also counts toward its parent's usage."""
    fairshare: Int = 1
    """This account's share, relative to other accounts with the same parent."""
    users: tuple[str, ...] = ()
    """Users who may submit jobs under this account."""
    default_for: tuple[str, ...] = ()
    """Users whose jobs use this account by default. For users who are not in any `default_for` list, the default is
    the first of their accounts in alphabetical order."""
    qos: tuple[str, ...] = ()
    """QoS that this account's jobs may use. Jobs that don't request a QoS use the first one. Default: the parent
    account's QoS, or `normal` for top-level accounts."""
    budget: SpendingBudget | None = None
    """What the jobs of this account, and of the accounts below it, may cost. Default: no limit."""

    def joined_by(self, users: Sequence[str]) -> Self:
        """Return the account with further users, whose default account it is."""
        both = {
            "users": tuple(dict.fromkeys((*self.users, *users))),
            "default_for": tuple(dict.fromkeys((*self.default_for, *users))),
        }
        return self.model_copy(update=both) if users else self


class Accounting(Model):
    """Job accounting. `slurmdbd` stores the records on the head node's state volume or in `database`."""

    database: Database | None = None
    """An existing database to use instead of one on the head node."""
    qos: dict[str, Qos] = {}
    """QoS, keyed by name. `normal` always exists."""
    accounts: dict[str, Account] = {}
    """Accounts, keyed by name. If any accounts are described, every job must use one, and limits are enforced."""
    at_limit: Literal["finish", "end"] = "finish"
    """What happens when a budget is spent (`budget` of accounts, organizations and users). With `finish`, a job
    starts only if its whole time limit can be paid for, and running jobs are never ended. With `end`, jobs start
    while anything is left, and are ended when nothing is."""

    cost_estimates: Flag = False
    """Whether `sbatch`, `srun` and `salloc` print what a job costs at most when it is submitted. With budgets, what
    a job has cost is also written into its `AdminComment`, which `sacct` shows, within two minutes after its end."""

    @property
    def default_accounts(self) -> dict[str, str]:
        """Default account of each user, keyed by user name."""
        first = {user: name for name in sorted(self.accounts, reverse=True) for user in self.accounts[name].users}
        return first | {user: name for name, account in self.accounts.items() for user in account.default_for}


class Slurm(Model):
    """The Slurm workload manager."""

    version: Literal["22.05", "23.11", "24.11", "25.11"] = "23.11"
    """Slurm release. Debian 12 includes 22.05, Ubuntu 24.04 includes 23.11, and Debian 13 includes 24.11. Release
    25.11 requires `from_source` or `package_source`."""
    from_source: Flag = False
    """Whether nodes build Slurm from SchedMD's source, which works for release 25.11 on every system. A node whose
    image contains Slurm already builds nothing."""
    package_source: str | None = None
    """Address of a package archive, if the Slurm release differs from the operating system's own. Use an `https://`
    address or the address of a bucket."""
    idle_time: Duration = Duration.parse("10m")
    """Time after which an idle node is terminated."""
    boot_time: Duration = Duration.parse("20m")
    """Maximum time between a machine's launch and its registration with Slurm. A machine that takes longer is
    replaced."""
    accounting: Accounting | None = None
    """Accounting for jobs and users. Default: no accounting."""
    separate_organizations: Flag = False
    """Whether a node runs jobs of only one of the `organizations` at a time, which may take more nodes. Default: in
    queues that are open to all, jobs of several organizations share nodes."""
    settings: dict[str, str | int | bool] = {}
    """Additional slurm.conf settings, under Slurm's own names."""

    @property
    def of_system(self) -> bool:
        """Whether Slurm comes from the operating system's own packages."""
        return self.package_source is None and not self.from_source
