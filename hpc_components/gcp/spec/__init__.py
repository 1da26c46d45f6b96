"""Models of a cluster on Google Cloud, based on the models that all clouds share."""

from hpc_components.gcp.data_bucket.model import GcsBucket
from hpc_components.gcp.disks.model import GcpDisk
from hpc_components.gcp.fleet.model import GcpQueue, Reservation
from hpc_components.gcp.head.model import GcpHeadNode
from hpc_components.gcp.home.model import ExistingNfs, Nfs
from hpc_components.gcp.login.model import GcpLoginNodes
from hpc_components.gcp.lustre.model import ExistingLustre, Lustre
from hpc_components.gcp.network.model import CardNetwork, GcpExistingNetwork, GcpNetwork
from hpc_components.gcp.spec.cluster import GcpClusterSpec

__all__ = [
    "CardNetwork", "ExistingLustre", "ExistingNfs", "GcpClusterSpec", "GcpDisk", "GcpExistingNetwork",
    "GcpHeadNode", "GcpLoginNodes", "GcpNetwork", "GcpQueue", "GcsBucket", "Lustre", "Nfs", "Reservation",
]  # fmt: skip
