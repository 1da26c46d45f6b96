"""What the description says of accounting, and where."""

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.slurm.models import Accounting

__all__ = ["ACCOUNTS", "QOS", "described"]

QOS: Path = ("slurm", "accounting", "qos")
ACCOUNTS: Path = ("slurm", "accounting", "accounts")


def described(cluster: ClusterSpec) -> Accounting:
    """The accounting of the description, with nothing in it if there is none."""
    return cluster.slurm.accounting or Accounting()
