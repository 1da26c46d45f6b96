from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Discriminator, Tag

from hpc_components.catalog.machine_type import Machine
from hpc_components.gcp.catalog.quotas import COUNTED_AS_SPOT
from hpc_components.gcp.disks.model import GcpDisk
from hpc_components.gcp.fleet.offer import FleetOrder
from hpc_components.spec import queues
from hpc_components.spec.findings import Path
from hpc_components.spec.model import Flag
from hpc_components.spec.queues import Queue, purchase_by
from hpc_components.spec.surfaces import Key, Keys, Surface, described
from hpc_components.spec.values import Duration

if TYPE_CHECKING:
    from hpc_components.gcp.spec.cluster import GcpClusterSpec

Placement = Literal["cluster", "spread", "none"]
PurchaseKind = Literal["on_demand", "spot", "flex_start", "reservation"]


class Reservation(queues.Reservation):
    """Machines from one particular reservation."""

    reservation: str
    """Id of the reservation, in the form `projects/<project>/reservations/<name>`, optionally followed by
    `/reservationBlocks/<name>`."""
    bound: Flag | None = None
    """Whether machines are terminated when their reservation ends (`RESERVATION_BOUND`), as in calendar mode or with
    dense deployment; default: yes for a reservation block, and for a3-ultragpu and a4 machines."""


Purchase = Annotated[
    Annotated[Literal["on_demand", "spot", "flex_start"], Tag("by name")]
    | Annotated[Reservation, Tag("by reservation")],
    Discriminator(purchase_by("reservation")),
]


class GcpQueue(Queue):
    """A Slurm partition. Its nodes are named `<name>-[1-max]`."""

    cloud = "gcp"
    counted_as_spot = COUNTED_AS_SPOT
    purchase: Purchase = "on_demand"
    """How the machines are purchased: `on_demand`, `spot`, `flex_start` (machines start when there is capacity for
    all of them, and run for at most `max_run`), or `{reservation: projects/.../reservations/<name>}`, with `bound:
    true` if the reservation is in calendar mode or has dense deployment."""
    max_run: Duration | None = None
    """Maximum run time of a `flex_start` machine, 10m to 7d; default: 7d."""
    placement: Placement | None = None
    """Where machines are placed: close together in a compact placement policy (`cluster`), on different hardware
    (`spread`), or anywhere (`none`). Default: `cluster` for machines with a fast fabric, otherwise `none`. Reserved
    machines always use `none`."""
    max_distance: Literal[1, 2, 3] | None = None
    """How far apart the machines in a compact placement policy may be: 1 for the same rack (up to 22 machines), 2 for
    neighbouring racks (up to 150), or 3 for the same cluster (up to 1,500); default: as close as capacity allows."""
    tier_1: Flag = False
    """Whether machines get more network bandwidth at an extra charge (Tier_1 networking)."""
    root: GcpDisk | None = None
    """Root disk; default: 64 GiB, or 128 GiB if the image has GPU drivers."""
    image: str | None = None
    """Machine image, as `projects/<project>/global/images/<name>` or `.../images/family/<name>`; default: Google's
    image for the cluster's `os`, with drivers if the machine has GPUs."""
    service_account: str | None = None
    """Email of an existing service account, which jobs can then use through the metadata server. Default: a new
    service account."""


KEYS: Keys = {"machine": Key(("machine",)), "tier_1": Key(("tier_1",)), "others": None}


def order_of(
    queue: GcpQueue,
    path: Path,
    at: Path,
    cluster: "GcpClusterSpec",
    *,
    machine: Machine,
    others: Sequence[Machine],
) -> tuple[FleetOrder, Surface]:
    """Return the order for one of the queue's machine types, and the surface that words its refusals.

    `path` is the path of the queue, and `at` is the path of the machine type. Findings point to the machine type
    rather than the queue, because the queue's other types may be accepted.
    """
    order = FleetOrder(machine=machine, tier_1=queue.tier_1, others=others)
    surface = described(queue, path, {**KEYS, "machine": Key(at[len(path) :])}, cluster)
    return order, replace(surface, values={"machine": machine.name})
