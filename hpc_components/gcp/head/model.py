from hpc_components.gcp.disks.model import GcpDisk
from hpc_components.spec.nodes import HeadNode
from hpc_components.spec.values import Size


class GcpHeadNode(HeadNode):
    """The node that runs Slurm's controller. Its address and state disk are kept when the node is replaced."""

    root: GcpDisk = GcpDisk(size=Size.gib(64))
    """Root disk, which is lost when the node is replaced."""
    state: GcpDisk = GcpDisk(size=Size.gib(64))
    """Disk for Slurm's state and the accounting database. This disk is kept when the node is replaced."""
    ssh_key: str | None = None
    """Public SSH key of the first administrator, who logs in as `admin_user`. IAP and OS Login don't need a key."""
    service_account: str | None = None
    """Email of an existing service account; default: a new account with only the permissions that the node needs."""
