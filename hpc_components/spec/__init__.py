"""What a cluster is: the models of one stack file, and the rules on them. No cloud SDK, no pulumi."""

from hpc_components.spec.cluster import AwsClusterSpec, Budget, ClusterSpec, Iam
from hpc_components.spec.findings import Finding, Level
from hpc_components.spec.load import SpecError, check, load_cluster
from hpc_components.spec.network import ExistingNetwork, ExistingSubnet, Network, SecurityGroups
from hpc_components.spec.nodes import Disk, HeadNode, LoginNodes
from hpc_components.spec.queues import CapacityBlock, Queue, Reservation
from hpc_components.spec.slurm import Accounting, Database, Slurm
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
    "Network",
    "Nfs",
    "Queue",
    "Reservation",
    "SecurityGroups",
    "Size",
    "Slurm",
    "SpecError",
    "check",
    "load_cluster",
]
