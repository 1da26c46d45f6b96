"""Slurm itself: version, settings, accounting."""

from typing import Literal

from hpc_components.spec.model import Int, Model
from hpc_components.spec.values import Duration

__all__ = ["Accounting", "Database", "Slurm"]


class Database(Model):
    """A MySQL or MariaDB database that is there already."""

    host: str
    """Host name or address, without a scheme."""
    port: Int = 3306
    """Its port."""
    user: str = "slurm"
    """Its user, who may create tables in the database."""
    name: str = "slurm_acct_db"
    """Name of the database."""
    password_secret: str
    """ARN of the secret that holds the password."""


class Accounting(Model):
    """Who used what: `slurmdbd`, its database on the head node's state volume unless `database` names another."""

    database: Database | None = None
    """Use this database."""


class Slurm(Model):
    """The workload manager."""

    version: Literal["22.05", "23.11", "24.11", "25.11"] = "23.11"
    """Slurm release; 23.11 is Ubuntu 24.04's own."""
    package_source: str | None = None
    """Where other releases than the system's own come from: `s3://` or `https://` address of a package archive."""
    idle_time: Duration = Duration.parse("10m")
    """Terminate a node that had no work for this long."""
    accounting: Accounting | None = None
    """Keep accounts of jobs and users."""
    settings: dict[str, str | int | bool] = {}
    """More settings for slurm.conf, in Slurm's own names."""
