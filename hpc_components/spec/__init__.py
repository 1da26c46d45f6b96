"""What a cluster is: the models of one stack file, and the rules on them. No cloud SDK, no pulumi."""

from hpc_components.spec.cluster import AwsClusterSpec, Budget, ClusterSpec, Iam
from hpc_components.spec.findings import Finding, Level
from hpc_components.spec.load import SpecError, check, load_cluster
from hpc_components.spec.network import ExistingNetwork, ExistingSubnet, Network, SecurityGroups
from hpc_components.spec.nodes import Disk, HeadNode, LoginNodes
from hpc_components.spec.queues import CapacityBlock, Mps, Queue, Reservation, Shards
from hpc_components.spec.slurm import Account, Accounting, Database, Qos, Slurm
from hpc_components.spec.storage import (
    Bucket,
    DataAssociation,
    Efs,
    ExistingLustre,
    ExistingNfs,
    ExpressBucket,
    Lustre,
    Nfs,
)
from hpc_components.spec.values import Duration, Size

__all__ = [
    "Account",
    "Accounting",
    "AwsClusterSpec",
    "Bucket",
    "Budget",
    "CapacityBlock",
    "ClusterSpec",
    "DataAssociation",
    "Database",
    "Disk",
    "Duration",
    "Efs",
    "ExistingLustre",
    "ExistingNetwork",
    "ExistingNfs",
    "ExistingSubnet",
    "ExpressBucket",
    "Finding",
    "HeadNode",
    "Iam",
    "Level",
    "LoginNodes",
    "Lustre",
    "Mps",
    "Network",
    "Nfs",
    "Qos",
    "Queue",
    "Reservation",
    "SecurityGroups",
    "Shards",
    "Size",
    "Slurm",
    "SpecError",
    "check",
    "load_cluster",
]
