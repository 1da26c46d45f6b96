"""Models for Azure descriptions, based on the models that all clouds share."""

from hpc_components.azure.buckets.model import BlobBucket
from hpc_components.azure.disks.model import AzureDisk
from hpc_components.azure.fleet.model import AzureQueue, ReservationGroup
from hpc_components.azure.head.model import AzureHeadNode
from hpc_components.azure.home.model import ExistingNfs, Nfs
from hpc_components.azure.login.model import AzureLoginNodes
from hpc_components.azure.lustre.model import ContainerLink, ExistingLustre, Lustre
from hpc_components.azure.network.model import AzureExistingNetwork, AzureNetwork
from hpc_components.azure.spec.cluster import AzureClusterSpec

__all__ = [
    "AzureClusterSpec", "AzureDisk", "AzureExistingNetwork", "AzureHeadNode", "AzureLoginNodes",
    "AzureNetwork", "AzureQueue", "BlobBucket", "ContainerLink", "ExistingLustre", "ExistingNfs", "Lustre", "Nfs",
    "ReservationGroup",
]  # fmt: skip
