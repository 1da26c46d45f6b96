"""Defines the interface of a cloud's own catalogue."""

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
    """The facts about a cloud that cloud-independent code needs. Each cloud's `catalog` part is an instance.

    All members are functions, so that a command reads only the files that it needs. Facts that only the cloud's own
    rules and components need, e.g. about file systems, images and limits, are in neighbouring modules.
    """

    machines: Callable[[], Iterable[Machine]]
    """Return the machine types that clusters commonly use. `read_machines` reads them from a data file."""
    other_machines: Callable[[], Iterable[Machine]] = tuple
    """Return all other machine types that we have facts about. Called only for names that `machines` lacks."""
    type_names: Callable[[], Collection[str]]
    """Return the names of all of the cloud's machine types, including those we have no facts about."""
    is_previous_generation: Callable[[str], bool] = lambda name: False
    """Return whether the cloud recommends newer machine types instead of this one."""
    without_prefix: Callable[[str], str] = lambda name: name
    """Return a machine type's name without the prefix that all names share and that people often omit."""
    regions: Callable[[], Mapping[str, tuple[str, ...]]]
    """Return each region's zones, named as in descriptions. `regions_of` derives them from where machines are
    sold."""
    id_mistake: Callable[[str, str, str], Mistake | None] = lambda kind, id, region: None
    """Given kind, id and region, return why this can't be the id of such a resource for a cluster in the region.

    Return None if it can be, or if the form of these ids is unknown. Kinds are `image`, `network`, `subnet`,
    `secret`, and kinds of purchase with an id, such as `reservation`. The kind `zone` is used for words that are not
    zones of the region, in order to recognize what people mistake for zones."""
    regional_price: Callable[[str, str], Mapping[str, Any] | None] = lambda name, region: None
    """Return the on-demand price record (`usd` per hour, `region`, `source`, `as_of`, `unsure`) for a machine type
    whose own record has no price in the region."""
    service_price: Callable[[str, str], Price | None] = lambda item, region: None
    """Return the regional list price of an item other than a machine, such as a disk, by its name in the price
    list."""
    quota: Callable[[Machine, Purchase], Quota | None]
    """Return the quota that running a machine counts against, or None if there isn't one."""
    counted_vcpus: Callable[[Machine], int] = lambda machine: machine.vcpus
    """Return how many vCPUs quotas count for a machine, which may be more than jobs get."""
    can_be_placed_as_bought: Callable[[Machine, str], bool] = lambda machine, purchase: True
    """Return whether machines of a type that are bought in the given way can be placed close together."""
    has_fabric_driver: Callable[[str, Machine, str | None], bool] = lambda os, machine, image: True
    """Return whether an image includes the driver for the machine's fast fabric. If the image is None, the operating
    system's public image is used."""
    addresses_per_node: Callable[[str, bool], int] = lambda name, fabric: 1
    """Return how many subnet addresses a node of a machine type takes, with the fast fabric on or off."""
    has_image: Callable[[str, Machine], bool] = lambda os, machine: True
    """Return whether an operating system has a public image for a machine that includes the driver for its GPUs."""
    image_gib: Callable[[str, Machine | None], tuple[int, bool] | None] = lambda os, machine: None
    """Return (size in GiB, whether the size is confirmed) of the public image with the drivers that a machine needs,
    or of the plain image if the machine is None. Return None if the size is unknown."""
    pinned_image: Callable[[str, Machine, str | None, bool], PinnedImage | None] = lambda os, machine, name, lustre: (
        None
    )
    """Return a machine's image if its publication date is known, otherwise None. If the name is None, this is the
    operating system's image, which may differ for nodes that mount Lustre."""
    region_of_host: Callable[[str], str | None] = lambda host: None
    """Return the region in the host name of one of this cloud's services, or None if the name contains no region."""
    budget_limits: Callable[[], BudgetLimits | None] = lambda: None
    """Return the limits on budgets, or None if they are unknown."""
    log_retention: Callable[[], LogRetention | None] = lambda: None
    """Return the possible retention periods of logs, or None if any period is possible."""
    cold_storage: Callable[[], ColdStorage | None] = lambda: None
    """Return the rules for moving objects in buckets to colder storage, or None if they are unknown."""
    tag_limits: Callable[[], TagLimits | None] = lambda: None
    """Return the maximum number of tags and the reserved prefixes of their keys, or None if these are unknown."""
    reserved_mounts: Callable[[], Iterable[str]] = tuple
    """Return the directories of the cloud's own software on nodes. Nothing may be mounted on or inside them."""


@cache
def catalog_of(cloud: str) -> CloudCatalog:
    """Return a cloud's catalogue. Raise UnknownCloudError if the name is unknown."""
    return cloud_named(cloud).parts.catalog


def regions_of(machines: Iterable[Machine]) -> dict[str, tuple[str, ...]]:
    """Return the regions in which any of these machines is sold, each with its zones."""
    zones: dict[str, set[str]] = {}
    for machine in machines:
        for region, offering in machine.offered.items():
            zones.setdefault(region, set()).update(offering.split())
    return {region: tuple(sorted(zones[region])) for region in sorted(zones)}
