"""The head node and the login nodes, and the disks of any node."""

from hpc_components.spec.model import Address, Flag, Int, Model
from hpc_components.spec.values import Size


class Disk(Model):
    """An encrypted block volume."""

    size: Size
    """Size, in whole GiB."""
    type: str | None
    """Type, one of the cloud's own names; None if the machine type determines it."""


class HeadNode(Model):
    """The node that runs Slurm's controller. It can be replaced: its address and state volume outlive it."""

    machine: str
    """Machine type."""
    public: Flag = False
    """Give it a public address and let `network.ssh_from` reach it."""
    address: Address | None = None
    """Its fixed private address; default: the twentieth address of its subnet."""
    root: Disk
    """Root disk; lost when the node is replaced."""
    state: Disk
    """Volume for Slurm's state and the accounting database; outlives the node."""
    image: str | None = None
    """Machine image id; default: the image of the cluster's `os`, pinned."""


class LoginNodes(Model):
    """Nodes for users, behind one load-balanced address."""

    machine: str
    """Machine type."""
    min: Int = 1
    """Minimum number of nodes."""
    max: Int = 1
    """Maximum number of nodes."""
    public: Flag = False
    """Put the load balancer on the internet, reachable from `network.ssh_from`."""
    zones: tuple[str, ...] = ()
    """Zone ids to spread over; default: the cluster's zone."""
    max_sessions_per_user: Int | None = None
    """Maximum number of simultaneous sessions per user and node; default: no limit."""
    root: Disk
    """Root disk."""
    image: str | None = None
    """Machine image id; default: the image of the cluster's `os`, pinned."""
