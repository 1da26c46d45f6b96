"""Models of the head node, the login nodes and the nodes' disks."""

from hpc_components.spec.model import Address, Flag, Int, Model
from hpc_components.spec.values import Size


class Disk(Model):
    """An encrypted block volume."""

    size: Size
    """Disk size, which must be a whole number of GiB."""
    type: str | None
    """The cloud's name for the disk type. None if the machine type determines the disk type."""


class PerUser(Model):
    """What all processes of one user may use together on a node where users log in.

    A user who needs more submits a job. Programs that run when a limit is lowered are not ended.
    """

    cpus: Int | None = None
    """Number of CPUs. Default: half of the node's, but at least 2."""
    memory: Size | None = None
    """Memory, above which the kernel ends the user's largest program. Default: half of the node's."""
    processes: Int = 2048
    """Number of processes and threads, above which new ones fail."""


class HeadNode(Model):
    """The node that runs Slurm's controller. When the node is replaced, its address and state volume are kept."""

    machine: str
    """Machine type."""
    public: Flag = False
    """Whether the head node has a public address, reachable from the ranges in `network.ssh_from`."""
    address: Address | None = None
    """The head node's fixed private address. Default: the twentieth address of the subnet."""
    root: Disk
    """Root disk, which is lost when the node is replaced."""
    state: Disk
    """Volume for Slurm's state and the accounting database. It is kept when the node is replaced."""
    image: str | None = None
    """Machine image id. Default: a pinned image of the cluster's `os`."""
    per_user: PerUser = PerUser()
    """What one user may use on the head node of a cluster without login nodes, where users log in."""


class LoginNodes(Model):
    """Nodes for users to log in to, behind a load-balanced address."""

    machine: str
    """Machine type."""
    min: Int = 1
    """Minimum number of nodes."""
    max: Int = 1
    """Maximum number of nodes."""
    public: Flag = False
    """Whether the load balancer has a public address, reachable from the ranges in `network.ssh_from`."""
    zones: tuple[str, ...] = ()
    """Ids of the zones to spread the nodes across. Default: the cluster's zone."""
    max_sessions_per_user: Int | None = None
    """Maximum number of simultaneous sessions per user on all login nodes together. Administrators are exempt.
    Default: no limit."""
    per_user: PerUser = PerUser()
    """What one user may use on each login node."""
    root: Disk
    """Root disk."""
    image: str | None = None
    """Machine image id. Default: a pinned image of the cluster's `os`."""
