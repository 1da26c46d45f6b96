from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.slurm.models import Accounting

QOS: Path = ("slurm", "accounting", "qos")
ACCOUNTS: Path = ("slurm", "accounting", "accounts")


def described(cluster: ClusterSpec) -> Accounting:
    return cluster.accounting or Accounting()
