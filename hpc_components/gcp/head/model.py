"""Keys of the head node in a description."""

from hpc_components.gcp.disks.model import GcpDisk
from hpc_components.spec.nodes import HeadNode
from hpc_components.spec.values import Size


class GcpHeadNode(HeadNode):
    """The node that runs Slurm's controller. It can be replaced: its address and state disk outlive it."""

    root: GcpDisk = GcpDisk(size=Size.gib(64))
    """Root disk; lost when the node is replaced."""
    state: GcpDisk = GcpDisk(size=Size.gib(64))
    """Disk for Slurm's state and the accounting database; outlives the node."""
    ssh_key: str | None = None
    """Public SSH key of the first administrator, who logs in as `admin_user`. IAP and OS Login work without one."""
    service_account: str | None = None
    """Email of an existing service account, instead of a new one with only the permissions needed."""
