"""Queues: what Slurm calls partitions, each a fleet of one kind of machine that grows and shrinks."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag

from hpc_components.spec.model import Flag, Int, Model, Number
from hpc_components.spec.nodes import Disk
from hpc_components.spec.values import Duration, Size

__all__ = ["CapacityBlock", "GpuSharing", "Mps", "Purchase", "Queue", "Reservation", "Shards"]


class CapacityBlock(Model):
    """GPU machines bought for a fixed span of time (EC2 Capacity Blocks for ML)."""

    capacity_block: str
    """Id of its capacity reservation, `cr-0123456789abcdef0`."""


class Reservation(Model):
    """Machines of an on-demand capacity reservation."""

    reservation: str
    """Its id, `cr-0123456789abcdef0`."""


def _told_by(value: Any, *keys: str) -> str | None:
    """Which of `keys` a mapping has; None, which pydantic refuses, if it has none of them."""
    told = value if isinstance(value, dict) else getattr(value, "model_fields_set", ())
    return next((f"by {key}" for key in keys if key in told), None)


def _purchase_kind(value: Any) -> str | None:
    return "by name" if isinstance(value, str) else _told_by(value, "capacity_block", "reservation")


Purchase = Annotated[
    Annotated[Literal["on_demand", "spot"], Tag("by name")]
    | Annotated[CapacityBlock, Tag("by capacity_block")]
    | Annotated[Reservation, Tag("by reservation")],
    Discriminator(_purchase_kind),
]


class Shards(Model):
    """Each GPU is shared by jobs that take turns on it (`--gres=shard:1`); nothing keeps their memory apart."""

    shards: Int
    """Most jobs of one share on a GPU at a time."""


class Mps(Model):
    """Each GPU is shared through NVIDIA's Multi-Process Service (`--gres=mps:50`), whose server the image starts."""

    mps: Int
    """Shares of a GPU; with 100, jobs ask for percent."""


def _sharing_kind(value: Any) -> str | None:
    return _told_by(value, "shards", "mps")


GpuSharing = Annotated[
    Annotated[Shards, Tag("by shards")] | Annotated[Mps, Tag("by mps")],
    Discriminator(_sharing_kind),
]


class Queue(Model):
    """One Slurm partition, `<name>-[1-max]` its nodes."""

    name: str
    """Partition name; node names begin with it."""
    machine: str
    """Machine type."""
    max: Int
    """Most nodes."""
    min: Int = 0
    """Nodes kept running; the others are launched when jobs wait."""
    purchase: Purchase = "on_demand"
    """How the machines are bought: `on_demand`, `spot`, `{reservation: cr-...}` or `{capacity_block: cr-...}`."""
    fallback: tuple[str, ...] = ()
    """Machine types to try, in this order, when `machine` is nowhere to be had."""
    zones: tuple[str, ...] = ()
    """Zone ids to try, in this order; default: the cluster's zone."""
    placement: Literal["cluster", "partition", "spread", "none"] | None = None
    """Placement group; default: `cluster` with a fast fabric, else none; none where the machines are reserved."""
    efa: Flag | None = None
    """Fast fabric; default: on, where the machine has it."""
    smt: Flag = True
    """Two hardware threads per core; off gives each job whole cores."""
    requeue: Flag = True
    """Put a job back in the queue when its node is lost."""
    idle_time: Duration | None = None
    """Terminate a node that had no work for this long; default: `slurm.idle_time`."""
    max_spot_price: Number | None = None
    """Most to pay per node and hour on spot, in USD; default: the on-demand price."""
    gpu_sharing: GpuSharing | None = None
    """Jobs may share a GPU: `{shards: 4}` or `{mps: 100}`, for each GPU; without it, a GPU is one job's."""
    local_scratch: str | None = None
    """Mount directory of the node's own NVMe disks, striped."""
    memory: Size | None = None
    """Memory per node that jobs can ask for; default: what the machine's system sees, as measured."""
    root: Disk | None = None
    """Root disk; default: 64 GiB, or 128 GiB where the machine has GPUs, whose drivers are in the image."""
    image: str | None = None
    """Machine image id; default: that of the cluster's `os`, pinned; AWS's newest where it pins none (GPUs)."""
    instance_profile: str | None = None
    """An instance profile that is there already. Its role is for jobs too: the metadata service answers them."""
    instance_role: str | None = None
    """ARN of the role in `instance_profile`, which the head node gives to nodes; default: that of the same name."""
    qos: str | None = None
    """QoS whose limits hold for all jobs of this queue together, one of `slurm.accounting.qos`."""
    slurm: dict[str, str | int | bool] = {}
    """More settings of the partition, in Slurm's own names (`MaxTime: 2-00:00:00`)."""

    @property
    def machines(self) -> tuple[str, ...]:
        """The machine types of this queue, in the order in which they are tried."""
        return (self.machine, *self.fallback)
