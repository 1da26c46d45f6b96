"""Models of queues (Slurm partitions). Each queue is an elastic fleet of one kind of machine."""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Tag

from hpc_components.spec.model import Flag, Int, Model, Number
from hpc_components.spec.nodes import Disk
from hpc_components.spec.values import Duration, Size


class Reserved(Model):
    """Reserved machines, which are billed even when they aren't running."""

    kind: ClassVar[str]
    """Name of this kind of purchase, e.g. `reservation`."""
    market: ClassVar[Literal["on_demand", "spot"] | None] = "on_demand"
    """The market that determines the machines' prices and quotas, or None if the machines are paid for in advance."""
    one_pool: ClassVar[bool] = True
    """Whether all reserved machines are of one type and in one zone."""
    has_fabric: ClassVar[bool] = True
    """Whether reserved machines can use a fast fabric."""

    @property
    def id(self) -> str:
        """The reservation's id in the cloud."""
        raise NotImplementedError


class Reservation(Reserved):
    """Machines reserved at the on-demand price, without a fixed term."""

    kind = "reservation"
    reservation: str
    """The reservation's id in the cloud."""

    @property
    def id(self) -> str:
        """The reservation's id in the cloud."""
        return self.reservation


def first_key_of(value: Any, *keys: str) -> str | None:
    """Return the tag of the first key in `keys` that is set. If none is set, return None, which pydantic refuses."""
    keys_set = value if isinstance(value, dict) else getattr(value, "model_fields_set", ())
    return next((f"by {key}" for key in keys if key in keys_set), None)


def purchase_by(*kinds: str) -> Callable[[Any], str | None]:
    """Return a discriminator for purchases: `by name` for a string, `by <kind>` for a mapping with a key in
    `kinds`.
    """
    return lambda value: "by name" if isinstance(value, str) else first_key_of(value, *kinds)


class Shards(Model):
    """GPU sharing in which jobs take turns (`--gres=shard:1`). GPU memory is not isolated between jobs."""

    shards: Int
    """Number of shares per GPU, which is also the maximum number of simultaneous jobs on the GPU."""


class Mps(Model):
    """GPU sharing through NVIDIA's Multi-Process Service (`--gres=mps:50`). The image must start the service."""

    mps: Int
    """Number of shares per GPU. With 100 shares, jobs request percentages of a GPU."""


def _sharing_kind(value: Any) -> str | None:
    return first_key_of(value, "shards", "mps")


GpuSharing = Annotated[
    Annotated[Shards, Tag("by shards")] | Annotated[Mps, Tag("by mps")],
    Discriminator(_sharing_kind),
]


class Queue(Model):
    """A Slurm partition, with nodes named `<name>-[1-max]`."""

    cloud: ClassVar[str]
    """Name of the cloud that provides the machines."""

    name: str
    """Partition name, which is also the first part of each node's name."""
    machine: str
    """Machine type."""
    max: Int
    """Maximum number of nodes."""
    min: Int = 0
    """Number of nodes that always run. Further nodes are launched when jobs are waiting."""
    counted_as_spot: ClassVar[tuple[str, ...]] = ("spot",)
    """Values of `purchase` that count against spot quotas."""
    purchase: str | Reserved = "on_demand"
    """How the machines are bought: `on_demand`, `spot`, or from a reservation."""
    fallback: tuple[str, ...] = ()
    """Machine types to try, in order, if no zone has capacity for `machine`."""
    zones: tuple[str, ...] = ()
    """Ids of the zones to try, in order. Default: the cluster's zone."""
    placement: str | None = None
    """Placement of the nodes. Default: `cluster` (close together) if the machines have a fast fabric and are not
    reserved, otherwise `none`."""
    fabric: Flag | None = None
    """Whether nodes use a fast fabric. Default: yes, if the machine type has one."""
    smt: Flag = True
    """Whether to use both hardware threads of each core rather than only one."""
    requeue: Flag = True
    """Whether to requeue a job whose node is lost."""
    idle_time: Duration | None = None
    """Time after which an idle node is terminated. Default: `slurm.idle_time`."""
    gpu_sharing: GpuSharing | None = None
    """How jobs share GPUs, with the number of shares per GPU, e.g. `{shards: 4}` or `{mps: 100}`. Default: one job
    per GPU."""
    local_scratch: str | None = None
    """Mount point of the node's local NVMe disks, which are striped into one file system."""
    memory: Size | None = None
    """Memory per node that jobs can request. Default: the amount measured on this machine type."""
    root: Disk | None = None
    """Root disk. Default: 64 GiB, or 128 GiB for machines with GPUs, whose images include drivers."""
    image: str | None = None
    """Machine image id. Default: an image of the cluster's `os`."""
    qos: str | None = None
    """QoS whose limits apply to all of this queue's jobs combined. Must be defined in `slurm.accounting.qos`."""
    slurm: dict[str, str | int | bool] = {}
    """Additional partition settings, keyed by their Slurm names, e.g. `MaxTime: 2-00:00:00`."""

    @property
    def machines(self) -> tuple[str, ...]:
        """The queue's machine types, in the order in which to try them."""
        return (self.machine, *self.fallback)


class SpotPricedQueue(Queue):
    """A queue on a cloud that accepts a maximum price for spot machines."""

    max_spot_price: Number | None = None
    """Maximum spot price in USD per node-hour. Default: the on-demand price."""
