"""Models for Azure descriptions, built on the models for all clouds."""

from hpc_components.azure.buckets.model import BlobBucket
from hpc_components.azure.head.model import AzureHeadNode
from hpc_components.azure.home.model import ExistingNfs, Nfs
from hpc_components.azure.login.model import AzureLoginNodes
from hpc_components.azure.lustre.model import ContainerLink, ExistingLustre, Lustre
from hpc_components.azure.network.model import AzureExistingNetwork, AzureNetwork
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.nodes import AzureDisk
from hpc_components.azure.spec.queues import AzureQueue, ReservationGroup

__all__ = [
    "AzureClusterSpec", "AzureDisk", "AzureExistingNetwork", "AzureHeadNode", "AzureLoginNodes",
    "AzureNetwork", "AzureQueue", "BlobBucket", "ContainerLink", "ExistingLustre", "ExistingNfs", "Lustre", "Nfs",
    "ReservationGroup",
]  # fmt: skip
