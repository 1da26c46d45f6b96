"""The keys of Slurm itself: version, settings, accounting."""

from typing import Literal

from hpc_components.spec.model import Int, Model
from hpc_components.spec.values import Duration


class Database(Model):
    """An existing MySQL or MariaDB database."""

    host: str
    """Host name or address, without a scheme."""
    port: Int = 3306
    """Its TCP port."""
    user: str = "slurm"
    """User name for the database, with the right to create tables in it."""
    name: str = "slurm_acct_db"
    """Name of the database."""
    password_secret: str
    """The secret that holds the password, by its full name: on AWS its ARN."""


QosFlag = Literal[
    "DenyOnLimit", "EnforceUsageThreshold", "NoDecay", "NoReserve", "OverPartQOS", "PartitionMaxNodes",
    "PartitionMinNodes", "PartitionTimeLimit", "RequiresReservation", "UsageFactorSafe",
]  # fmt: skip
"""Flags of a QoS that Slurm 22.05 to 25.11 know. Source: sacctmgr(1) of these releases."""


class Qos(Model):
    """A quality of service: priority and limits under a name, in Slurm's own terms."""

    priority: Int = 0
    """Priority of its jobs over those of other QoS."""
    max_wall: Duration | None = None
    """Maximum run time of a job."""
    max_tres_per_user: dict[str, Int] = {}
    """Maximum that a user may have at a time: `cpu`, `mem` (MiB), `node`, `billing`, `gres/gpu`, `gres/gpu:h100`,
    `license/matlab`, ..."""
    flags: tuple[QosFlag, ...] = ()
    """Flags; with `DenyOnLimit`, a job above a limit is refused at submission instead of waiting forever."""


class Account(Model):
    """Users whose usage is counted together: a department, a project."""

    parent: str = "root"
    """The parent account, to which the usage of these users is counted too."""
    fairshare: Int = 1
    """Its share, relative to those of the other accounts of its parent."""
    users: tuple[str, ...] = ()
    """Users who may submit jobs for it."""
    default_for: tuple[str, ...] = ()
    """Users with several accounts whose jobs use this one unless they name another; without it, the first by name."""
    qos: tuple[str, ...] = ()
    """QoS that its jobs may use, the default QoS first; default: those of its parent, `normal` at the top."""


class Accounting(Model):
    """Accounting, kept by `slurmdbd` on the head node's state volume, or in `database`."""

    database: Database | None = None
    """An existing database to use instead."""
    qos: dict[str, Qos] = {}
    """QoS by name. `normal` always exists."""
    accounts: dict[str, Account] = {}
    """Accounts by name. If there are any, every job needs one, and limits are enforced."""

    @property
    def default_accounts(self) -> dict[str, str]:
        """The default account of each user."""
        first = {user: name for name in sorted(self.accounts, reverse=True) for user in self.accounts[name].users}
        return first | {user: name for name, account in self.accounts.items() for user in account.default_for}


class Slurm(Model):
    """The workload manager."""

    version: Literal["22.05", "23.11", "24.11", "25.11"] = "23.11"
    """Slurm release. Debian 12 has 22.05, Ubuntu 24.04 has 23.11, Debian 13 has 24.11; 25.11 needs
    `package_source`."""
    package_source: str | None = None
    """Package archive with another release than the operating system's own: an `https://` address or one of a
    bucket."""
    idle_time: Duration = Duration.parse("10m")
    """Terminate a node that has been idle for this long."""
    boot_time: Duration = Duration.parse("20m")
    """Maximum time from a machine's launch to its registration with Slurm; after that it is replaced."""
    accounting: Accounting | None = None
    """Keep accounting of jobs and users."""
    settings: dict[str, str | int | bool] = {}
    """More settings for slurm.conf, in Slurm's own names."""
