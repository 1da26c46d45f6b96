from hpc_components.gcp.disks.model import GcpDisk
from hpc_components.spec.nodes import LoginNodes
from hpc_components.spec.values import Size


class GcpLoginNodes(LoginNodes):
    """Nodes for users, behind one load-balanced address."""

    root: GcpDisk = GcpDisk(size=Size.gib(64))
    """Root disk."""
    ssh_key: str | None = None
    """The administrator's public SSH key."""
    service_account: str | None = None
    """Email of an existing service account; default: a new one."""
