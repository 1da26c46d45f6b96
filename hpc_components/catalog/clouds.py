"""The interface of a cloud's own catalogue."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from hpc_components.catalog.cold_storage import ColdStorage
from hpc_components.catalog.machine_type import Machine, Purchase
from hpc_components.catalog.mistake import Mistake
from hpc_components.catalog.service_limits import BudgetLimits, LogRetention, TagLimits
from hpc_components.cloud import cloud_named

if TYPE_CHECKING:
    from hpc_components.catalog.pinned_image import PinnedImage
    from hpc_components.catalog.prices import Price
    from hpc_components.catalog.quotas import Quota

__all__ = ["CloudCatalog", "catalog_of", "regions_of"]


@dataclass(frozen=True, kw_only=True)
class CloudCatalog:
    """The facts of one cloud that the core needs: the part `catalog` of each cloud.

    All members are functions, so that a command reads only the files that it needs. What only that cloud has
    (its file systems, its images, its limits) is in modules beside it, which its own rules and components import.
    """

    machines: Callable[[], Iterable[Machine]]
    """The machine types that clusters are usually made of; `read_machines` reads them from a data file."""
    other_machines: Callable[[], Iterable[Machine]] = tuple
    """The other types with facts, read only if a name is not among the usual ones."""
    type_names: Callable[[], Collection[str]]
    """The names of all types of the cloud, with or without facts."""
    is_previous_generation: Callable[[str], bool] = lambda name: False
    """Whether the cloud advises against a type because there are newer ones."""
    without_prefix: Callable[[str], str] = lambda name: name
    """A type's name without the prefix common to all, which people leave out."""
    regions: Callable[[], Mapping[str, tuple[str, ...]]]
    """The regions, with the names of their zones as descriptions write them; `regions_of` finds them by the machines
    that are sold there."""
    id_mistake: Callable[[str, str, str], Mistake | None] = lambda kind, id, region: None
    """Why a text is no id of a kind, for a cluster in a region; None where it may be one, or nothing is known of the
    kind.

    Kinds are `image`, `network`, `subnet`, `secret`, and the kinds of purchase with an id, such as `reservation`;
    `zone` is asked of words that are no zone of the region, for what people take for one."""
    regional_price: Callable[[str, str], Mapping[str, Any] | None] = lambda name, region: None
    """The price record (`usd` an hour, `region`, `source`, `as_of`, `unsure`) of a type in a region, on demand, where
    the machine's own record has none."""
    service_price: Callable[[str, str], "Price | None"] = lambda item, region: None
    """The list price in a region of something other than a machine, such as a disk, by its name in the price list."""
    quota: Callable[[Machine, Purchase], "Quota | None"]
    """The quota that running a machine counts against; `recorded_quota` where the machine's record names it."""
    counted_vcpus: Callable[[Machine], int] = lambda machine: machine.vcpus
    """The vCPUs that quotas count for a machine, which may be more than jobs get."""
    can_be_placed_as_bought: Callable[[Machine, str], bool] = lambda machine, purchase: True
    """Whether machines of a type can be placed close together if they are bought in a way."""
    has_fabric_driver: Callable[[str, Machine, str | None], bool] = lambda os, machine, image: True
    """Whether nodes of a machine type have the driver of its fast fabric, with an operating system, or with an image
    if one is named."""
    addresses_per_node: Callable[[str, bool], int] = lambda name, fabric: 1
    """How many addresses of its subnet a node of a type takes, with the fast fabric on or off."""
    has_image: Callable[[str, Machine], bool] = lambda os, machine: True
    """Whether there is a public image of an operating system for a machine, with the driver of its GPUs."""
    image_gib: Callable[[str, Machine | None], tuple[int, bool] | None] = lambda os, machine: None
    """The GiB of an operating system's public image for a machine, with the drivers that it needs, or of the plain
    one, and whether that is sure; None if it is not known."""
    pinned_image: Callable[[str, Machine, str | None, bool], "PinnedImage | None"] = (
        lambda os, machine, image, lustre: None
    )
    """The image of an operating system for a machine, or the one that is named, where it is of one known day. Nodes
    that mount Lustre may have another default."""
    region_of_host: Callable[[str], str | None] = lambda host: None
    """The region of the cloud's own service that has a host name; None where the name says none."""
    budget_limits: Callable[[], BudgetLimits | None] = lambda: None
    """What a budget may have; None if nothing is known."""
    log_retention: Callable[[], LogRetention | None] = lambda: None
    """How long logs can be kept; None for any time."""
    cold_storage: Callable[[], ColdStorage | None] = lambda: None
    """How objects in buckets move to colder storage; None if nothing is known."""
    tag_limits: Callable[[], TagLimits | None] = lambda: None
    """How many tags there may be, and whose keys are taken; None if nothing is known."""
    reserved_mounts: Callable[[], Iterable[str]] = tuple
    """Directories of the cloud's own software on nodes: nothing may be mounted there or below."""


@cache
def catalog_of(cloud: str) -> CloudCatalog:
    """The catalogue of a cloud. UnknownCloudError if there is no such cloud."""
    return cloud_named(cloud).parts.catalog


def regions_of(machines: Iterable[Machine]) -> dict[str, tuple[str, ...]]:
    """The regions and zones in which any of these machines is sold."""
    zones: dict[str, set[str]] = {}
    for machine in machines:
        for region, offering in machine.offered.items():
            zones.setdefault(region, set()).update(offering.split())
    return {region: tuple(sorted(zones[region])) for region in sorted(zones)}
