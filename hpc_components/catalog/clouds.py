"""The interface of a cloud's own catalogue."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from hpc_components.catalog.cold_storage import ColdStorage
from hpc_components.catalog.machine_type import Machine, Purchase
from hpc_components.catalog.mistake import Mistake
from hpc_components.catalog.pinned_image import PinnedImage
from hpc_components.catalog.price_and_quota import Price, Quota
from hpc_components.catalog.service_limits import BudgetLimits, LogRetention, TagLimits
from hpc_components.cloud import cloud_named


@dataclass(frozen=True, kw_only=True)
class CloudCatalog:
    """Facts of one cloud that the core needs: the part `catalog` of each cloud.

    All members are functions, so that a command reads only the files that it needs. Facts that only this cloud has
    (its file systems, images and limits) are in modules beside it, which its own rules and components import.
    """

    machines: Callable[[], Iterable[Machine]]
    """Machine types that clusters commonly use; `read_machines` reads them from a data file."""
    other_machines: Callable[[], Iterable[Machine]] = tuple
    """All other types with facts; read only for a name that `machines` lacks."""
    type_names: Callable[[], Collection[str]]
    """Names of all types of the cloud, with or without facts."""
    is_previous_generation: Callable[[str], bool] = lambda name: False
    """Whether the cloud recommends newer types instead of this one."""
    without_prefix: Callable[[str], str] = lambda name: name
    """A type's name without the prefix that all names share and people omit."""
    regions: Callable[[], Mapping[str, tuple[str, ...]]]
    """Names of the zones of each region, as descriptions write them; `regions_of` derives them from the machines
    sold there."""
    id_mistake: Callable[[str, str, str], Mistake | None] = lambda kind, id, region: None
    """Arguments: kind, id, region. Why the id is not one of that kind for a cluster in that region; None if it may
    be one, or if the form of the kind is not known.

    Kinds are `image`, `network`, `subnet`, `secret`, and the kinds of purchase with an id, such as `reservation`;
    `zone` is used for words that are not zones of the region: it recognizes what people mistake for a zone."""
    regional_price: Callable[[str, str], Mapping[str, Any] | None] = lambda name, region: None
    """On-demand price record (`usd` per hour, `region`, `source`, `as_of`, `unsure`) of a type in a region, for
    machines whose own record has no price there."""
    service_price: Callable[[str, str], Price | None] = lambda item, region: None
    """List price in a region of an item other than a machine, such as a disk, by its name in the price list."""
    quota: Callable[[Machine, Purchase], Quota | None]
    """Quota that running a machine counts against."""
    counted_vcpus: Callable[[Machine], int] = lambda machine: machine.vcpus
    """vCPUs that quotas count for a machine, which may be more than jobs get."""
    can_be_placed_as_bought: Callable[[Machine, str], bool] = lambda machine, purchase: True
    """Whether machines of a type can be placed close together when bought in the given way."""
    has_fabric_driver: Callable[[str, Machine, str | None], bool] = lambda os, machine, image: True
    """Whether the operating system's public image, or the named image, has the driver of the machine's fast
    fabric."""
    addresses_per_node: Callable[[str, bool], int] = lambda name, fabric: 1
    """Number of subnet addresses that a node of a type takes, with the fast fabric on or off."""
    has_image: Callable[[str, Machine], bool] = lambda os, machine: True
    """Whether an operating system has a public image for a machine, with the driver of its GPUs."""
    image_gib: Callable[[str, Machine | None], tuple[int, bool] | None] = lambda os, machine: None
    """Size in GiB of the public image that a machine needs (with its drivers), or of the plain image without a
    machine, and whether the size is confirmed; None if unknown."""
    pinned_image: Callable[[str, Machine, str | None, bool], PinnedImage | None] = lambda os, machine, name, lustre: (
        None
    )
    """The image for a machine (the named one, else the operating system's), if its date of publication is known.
    Nodes that mount Lustre may have another default."""
    region_of_host: Callable[[str], str | None] = lambda host: None
    """Region in the host name of a service of this cloud; None if the name contains no region."""
    budget_limits: Callable[[], BudgetLimits | None] = lambda: None
    """Limits of a budget; None if unknown."""
    log_retention: Callable[[], LogRetention | None] = lambda: None
    """Retention periods of logs; None if any period is possible."""
    cold_storage: Callable[[], ColdStorage | None] = lambda: None
    """Rules by which objects in buckets move to colder storage; None if unknown."""
    tag_limits: Callable[[], TagLimits | None] = lambda: None
    """Maximum number of tags and reserved prefixes of their keys; None if unknown."""
    reserved_mounts: Callable[[], Iterable[str]] = tuple
    """Directories of the cloud's own software on nodes; nothing may be mounted there or below."""


@cache
def catalog_of(cloud: str) -> CloudCatalog:
    """Return the catalogue of a cloud. UnknownCloudError for an unknown name."""
    return cloud_named(cloud).parts.catalog


def regions_of(machines: Iterable[Machine]) -> dict[str, tuple[str, ...]]:
    """Return the regions and zones in which any of these machines is sold."""
    zones: dict[str, set[str]] = {}
    for machine in machines:
        for region, offering in machine.offered.items():
            zones.setdefault(region, set()).update(offering.split())
    return {region: tuple(sorted(zones[region])) for region in sorted(zones)}
