"""Models for AWS descriptions, built on the models for all clouds."""

from hpc_components.aws.buckets.model import Bucket, ExpressBucket
from hpc_components.aws.disks.model import AwsDisk
from hpc_components.aws.fleet.model import AwsQueue, CapacityBlock, Reservation
from hpc_components.aws.head.model import AwsHeadNode
from hpc_components.aws.home.model import Efs, ExistingNfs, Nfs
from hpc_components.aws.identity.model import Iam
from hpc_components.aws.login.model import AwsLoginNodes
from hpc_components.aws.lustre.model import ExistingLustre, Lustre
from hpc_components.aws.lustre_links.model import DataAssociation
from hpc_components.aws.network.model import AwsExistingNetwork, AwsNetwork, SecurityGroups
from hpc_components.aws.spec.cluster import AwsClusterSpec

__all__ = [
    "AwsClusterSpec", "AwsDisk", "AwsExistingNetwork", "AwsHeadNode", "AwsLoginNodes", "AwsNetwork",
    "AwsQueue", "Bucket", "CapacityBlock", "DataAssociation", "Efs", "ExistingLustre", "ExistingNfs", "ExpressBucket",
    "Iam", "Lustre", "Nfs", "Reservation", "SecurityGroups",
]  # fmt: skip
