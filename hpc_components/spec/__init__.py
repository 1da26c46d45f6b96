"""Models that describe a cluster, and the rules that check them. This package imports neither a cloud SDK nor pulumi.

Cloud-specific models are in separate `spec` packages, e.g. `hpc_components.aws.spec`.
"""

from hpc_components.spec.cluster import Budget, ClusterSpec
from hpc_components.spec.findings import Finding, Level
from hpc_components.spec.load import SpecError, check, load_cluster
from hpc_components.spec.network import ExistingNetwork, ExistingSubnet, Network
from hpc_components.spec.nodes import Disk, HeadNode, LoginNodes
from hpc_components.spec.queues import Mps, Queue, Shards
from hpc_components.spec.slurm import Account, Accounting, Database, Qos, Slurm
from hpc_components.spec.storage import FileSystem, SharedBucket
from hpc_components.spec.values import Duration, Size

__all__ = [
    "Account",
    "Accounting",
    "Budget",
    "ClusterSpec",
    "Database",
    "Disk",
    "Duration",
    "ExistingNetwork",
    "ExistingSubnet",
    "FileSystem",
    "Finding",
    "HeadNode",
    "Level",
    "LoginNodes",
    "Mps",
    "Network",
    "Qos",
    "Queue",
    "Shards",
    "SharedBucket",
    "Size",
    "Slurm",
    "SpecError",
    "check",
    "load_cluster",
]  # fmt: skip
