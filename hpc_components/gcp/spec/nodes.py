"""The head node, the login nodes and the disks of a cluster on Google Cloud."""

from typing import Literal

from hpc_components.spec.model import Int
from hpc_components.spec.nodes import Disk, HeadNode, LoginNodes
from hpc_components.spec.values import Size

DiskType = Literal[
    "pd-balanced", "pd-ssd", "pd-standard", "pd-extreme", "hyperdisk-balanced", "hyperdisk-extreme",
    "hyperdisk-throughput",
]  # fmt: skip


class GcpDisk(Disk):
    """An encrypted disk."""

    type: DiskType | None = None
    """Disk type, as Google names it; default: pd-balanced, or hyperdisk-balanced for machines that do not support
    Persistent Disk."""
    iops: Int | None = None
    """Provisioned I/O operations per second, for hyperdisks."""
    throughput: Int | None = None
    """Provisioned throughput in MiB/s, for hyperdisk-balanced and hyperdisk-throughput."""
    kms_key: str | None = None
    """Id of a Cloud KMS key of your own that encrypts it, instead of Google's."""


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


class GcpLoginNodes(LoginNodes):
    """Nodes for users, behind one load-balanced address."""

    root: GcpDisk = GcpDisk(size=Size.gib(64))
    """Root disk."""
    ssh_key: str | None = None
    """Public SSH key of the administrator."""
    service_account: str | None = None
    """Email of an existing service account."""
