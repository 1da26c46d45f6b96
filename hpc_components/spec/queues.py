"""Queues, Slurm's partitions: each an elastic fleet of one kind of machine."""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Tag

from hpc_components.spec.model import Flag, Int, Model, Number
from hpc_components.spec.nodes import Disk
from hpc_components.spec.values import Duration, Size


class Reserved(Model):
    """Reserved machines, which are paid for whether they run or not."""

    kind: ClassVar[str]
    """Word for this kind of purchase: `reservation`."""
    market: ClassVar[Literal["on_demand", "spot"] | None] = "on_demand"
    """The market by which they are billed and counted; None for machines that are paid in advance."""
    one_pool: ClassVar[bool] = True
    """Whether all its machines are of one type and in one zone."""
    has_fabric: ClassVar[bool] = True
    """Whether its machines can be on a fast fabric."""

    @property
    def id(self) -> str:
        """The cloud's id of the reservation."""
        raise NotImplementedError


class Reservation(Reserved):
    """Machines reserved without a term, at the on-demand price."""

    kind = "reservation"
    reservation: str
    """Its id in the cloud."""

    @property
    def id(self) -> str:
        """The cloud's id of the reservation."""
        return self.reservation


def first_key_of(value: Any, *keys: str) -> str | None:
    """Return the tag for the first of `keys` that a mapping has; None, which pydantic refuses, if it has none."""
    keys_set = value if isinstance(value, dict) else getattr(value, "model_fields_set", ())
    return next((f"by {key}" for key in keys if key in keys_set), None)


def purchase_by(*kinds: str) -> Callable[[Any], str | None]:
    """Return a discriminator of purchases: `by name` for a word, `by <kind>` for a mapping with one of these keys."""
    return lambda value: "by name" if isinstance(value, str) else first_key_of(value, *kinds)


class Shards(Model):
    """Each GPU is shared by jobs that take turns on it (`--gres=shard:1`); their memory is not isolated."""

    shards: Int
    """Maximum number of jobs on a GPU at a time, with one share each."""


class Mps(Model):
    """Each GPU is shared through NVIDIA's Multi-Process Service (`--gres=mps:50`), which the image must start."""

    mps: Int
    """Shares of a GPU; with 100, jobs request a percentage."""


def _sharing_kind(value: Any) -> str | None:
    return first_key_of(value, "shards", "mps")


GpuSharing = Annotated[
    Annotated[Shards, Tag("by shards")] | Annotated[Mps, Tag("by mps")],
    Discriminator(_sharing_kind),
]


class Queue(Model):
    """One Slurm partition, with the nodes `<name>-[1-max]`."""

    cloud: ClassVar[str]
    """The cloud whose machines these are."""

    name: str
    """Partition name; node names begin with it."""
    machine: str
    """Machine type."""
    max: Int
    """Maximum number of nodes."""
    min: Int = 0
    """Number of nodes kept running; the others are launched when jobs wait."""
    counted_as_spot: ClassVar[tuple[str, ...]] = ("spot",)
    """Values of `purchase` that count against the quotas of spot machines."""
    purchase: str | Reserved = "on_demand"
    """How the machines are bought: `on_demand`, `spot`, or from a reservation."""
    fallback: tuple[str, ...] = ()
    """Machine types to try, in this order, when no zone has capacity for `machine`."""
    zones: tuple[str, ...] = ()
    """Zone ids to try, in this order; default: the cluster's zone."""
    placement: str | None = None
    """Placement of the nodes; default: `cluster` (all close together) with a fast fabric, else `none`; `none` for
    reserved machines."""
    fabric: Flag | None = None
    """Fast fabric; default: on, if the machine has one."""
    smt: Flag = True
    """Use two hardware threads per core; with `false`, one."""
    requeue: Flag = True
    """Put a job back in the queue when its node is lost."""
    idle_time: Duration | None = None
    """Terminate a node that has been idle for this long; default: `slurm.idle_time`."""
    gpu_sharing: GpuSharing | None = None
    """Let jobs share a GPU: `{shards: 4}` or `{mps: 100}`, for each GPU; default: one job per GPU."""
    local_scratch: str | None = None
    """Mount directory of the node's own NVMe disks, striped."""
    memory: Size | None = None
    """Memory per node that jobs can request; default: what the machine's operating system sees, as measured."""
    root: Disk | None = None
    """Root disk; default: 64 GiB, or 128 GiB for machines with GPUs, whose drivers are in the image."""
    image: str | None = None
    """Machine image id; default: that of the cluster's `os`."""
    qos: str | None = None
    """QoS whose limits apply to all jobs of this queue together, one of `slurm.accounting.qos`."""
    slurm: dict[str, str | int | bool] = {}
    """More settings of the partition, in Slurm's own names (`MaxTime: 2-00:00:00`)."""

    @property
    def machines(self) -> tuple[str, ...]:
        """The machine types of this queue, in the order in which they are tried."""
        return (self.machine, *self.fallback)


class SpotPricedQueue(Queue):
    """A queue of a cloud that accepts a maximum price for spot machines."""

    max_spot_price: Number | None = None
    """Maximum price per spot node and hour, in USD; default: the on-demand price."""
