"""Models of the description's `slurm` section: version, settings and accounting."""

from typing import Literal

from hpc_components.spec.model import Int, Model
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
"""QoS flags known to Slurm 22.05 to 25.11. Source: sacctmgr(1) of these releases."""


class Qos(Model):
    """A quality of service, which is a named set of priority and limits, in Slurm's own terms."""

    priority: Int = 0
    """Priority of this QoS's jobs relative to jobs of other QoS."""
    max_wall: Duration | None = None
    """Maximum run time of a job."""
    max_tres_per_user: dict[str, Int] = {}
    """Maximum amount of each resource that a user may have at a time: `cpu`, `mem` (MiB), `node`, `billing`,
    `gres/gpu`, `gres/gpu:h100`, `license/matlab`, ..."""
    flags: tuple[QosFlag, ...] = ()
    """Flags. With `DenyOnLimit`, a job that exceeds a limit is refused at submission instead of waiting forever."""


class Account(Model):
    """Users whose usage is counted together, such as a department or a project."""

    parent: str = "root"
    """The parent account, to which this account's usage is added."""
    fairshare: Int = 1
    """Share of this account, relative to the shares of other accounts with the same parent."""
    users: tuple[str, ...] = ()
    """Users who may submit jobs under this account."""
    default_for: tuple[str, ...] = ()
    """Users whose jobs use this account unless they name another. For a user in no such list, the default is the
    alphabetically first of the user's accounts."""
    qos: tuple[str, ...] = ()
    """QoS that this account's jobs may use, the default first. Default: the parent account's QoS, or `normal` for
    top-level accounts."""


class Accounting(Model):
    """Accounting records, which `slurmdbd` keeps on the head node's state volume or in `database`."""

    database: Database | None = None
    """An existing database to use instead of one on the head node."""
    qos: dict[str, Qos] = {}
    """QoS by name. `normal` always exists."""
    accounts: dict[str, Account] = {}
    """Accounts by name. If there are any, every job needs an account, and limits are enforced."""

    @property
    def default_accounts(self) -> dict[str, str]:
        """Each user's default account."""
        first = {user: name for name in sorted(self.accounts, reverse=True) for user in self.accounts[name].users}
        return first | {user: name for name, account in self.accounts.items() for user in account.default_for}


class Slurm(Model):
    """The workload manager."""

    version: Literal["22.05", "23.11", "24.11", "25.11"] = "23.11"
    """Slurm release. Debian 12 includes 22.05, Ubuntu 24.04 includes 23.11, and Debian 13 includes 24.11. For 25.11,
    `package_source` is needed."""
    package_source: str | None = None
    """Address of a package archive with a different Slurm release than the operating system's own: an `https://`
    address or the address of a bucket."""
    idle_time: Duration = Duration.parse("10m")
    """Terminate a node that has been idle for this long."""
    boot_time: Duration = Duration.parse("20m")
    """Maximum time between a machine's launch and its registration with Slurm. A machine that takes longer is
    replaced."""
    accounting: Accounting | None = None
    """Accounting of jobs and users. Default: none."""
    settings: dict[str, str | int | bool] = {}
    """Additional slurm.conf settings, under Slurm's own names."""
