"""The accounting of a description, and its paths."""

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.slurm.models import Accounting

QOS: Path = ("slurm", "accounting", "qos")
ACCOUNTS: Path = ("slurm", "accounting", "accounts")


def described(cluster: ClusterSpec) -> Accounting:
    """Return the accounting of the description; an empty one if it has none."""
    return cluster.slurm.accounting or Accounting()
