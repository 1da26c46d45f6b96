"""Models of the head node, the login nodes and the nodes' disks."""

from hpc_components.spec.model import Address, Flag, Int, Model
from hpc_components.spec.values import Size


class Disk(Model):
    """An encrypted block volume."""

    size: Size
    """Size, which must be a whole number of GiB."""
    type: str | None
    """Disk type, in the cloud's own terms, or None if the machine type determines it."""


class HeadNode(Model):
    """The node that runs Slurm's controller. It can be replaced, because its address and state volume outlive it."""

    machine: str
    """Machine type."""
    public: Flag = False
    """Give the head node a public address, which is reachable from `network.ssh_from`."""
    address: Address | None = None
    """The head node's fixed private address. Default: the twentieth address of its subnet."""
    root: Disk
    """Root disk, which is lost when the node is replaced."""
    state: Disk
    """Volume for Slurm's state and the accounting database. It outlives the node."""
    image: str | None = None
    """Machine image id. Default: a pinned image of the cluster's `os`."""


class LoginNodes(Model):
    """Nodes for users to log in to, behind a load-balanced address."""

    machine: str
    """Machine type."""
    min: Int = 1
    """Minimum number of nodes."""
    max: Int = 1
    """Maximum number of nodes."""
    public: Flag = False
    """Give the load balancer a public address, which is reachable from `network.ssh_from`."""
    zones: tuple[str, ...] = ()
    """Ids of the zones across which to spread the nodes. Default: the cluster's zone."""
    max_sessions_per_user: Int | None = None
    """Maximum number of simultaneous sessions per user on each node. Default: no limit."""
    root: Disk
    """Root disk."""
    image: str | None = None
    """Machine image id. Default: a pinned image of the cluster's `os`."""
