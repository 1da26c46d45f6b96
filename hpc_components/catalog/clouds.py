from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from hpc_components.catalog.base_image import BaseImage, LustreClient
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
    rules and components need, e.g. about file systems, images and limits, are in other modules of the cloud's
    catalogue.
    """

    machines: Callable[[], Iterable[Machine]]
    """Returns the machine types that clusters commonly use. `read_machines` reads them from a data file."""
    other_machines: Callable[[], Iterable[Machine]] = tuple
    """Returns all other machine types that we have facts about. Called only for names that `machines` doesn't
    return."""
    type_names: Callable[[], Collection[str]]
    """Returns the names of all of the cloud's machine types, including those we have no facts about."""
    is_previous_generation: Callable[[str], bool] = lambda name: False
    """Given a machine type's name, returns whether the cloud recommends newer machine types instead."""
    without_prefix: Callable[[str], str] = lambda name: name
    """Returns a machine type's name without the prefix that all names share and people often omit."""
    regions: Callable[[], Mapping[str, tuple[str, ...]]]
    """Returns a mapping from region to zones, which are named as in descriptions. `regions_of` derives this mapping
    from the zones in which machine types are sold."""
    id_mistake: Callable[[str, str, str], Mistake | None] = lambda kind, id, region: None
    """Given a kind, an id and the cluster's region, returns why the id can't be an id of that kind in that region.

    Returns None if the id is plausible, or if the format of such ids is unknown. The kinds are `image`, `network`,
    `subnet`, `secret`, and kinds of purchase with an id, such as `reservation`. The kind `zone` is used for strings
    that are not zones of the region, in order to recognize what was mistaken for a zone.
    """
    regional_price: Callable[[str, str], Mapping[str, Any] | None] = lambda name, region: None
    """Returns the on-demand price record (`usd` per hour, `region`, `source`, `as_of`, `unsure`) for a machine type
    whose own record has no price in the region."""
    service_price: Callable[[str, str], Price | None] = lambda item, region: None
    """Given an item's name in the price list and a region, returns the item's list price. An item is anything billed
    other than a machine, e.g. a disk."""
    quota: Callable[[Machine, Purchase], Quota | None]
    """Returns the quota that a machine with this purchase option counts against, or None if there isn't one."""
    counted_vcpus: Callable[[Machine], int] = lambda machine: machine.vcpus
    """Returns the number of vCPUs that quotas count for a machine. Jobs may be able to use fewer."""
    can_be_placed_as_bought: Callable[[Machine, str], bool] = lambda machine, purchase: True
    """Returns whether machines of this type can be placed close together if they have this purchase option."""
    has_fabric_driver: Callable[[str, Machine, str | None], bool] = lambda os, machine, image: True
    """Given an operating system, a machine and an image, returns whether the image includes the driver for the
    machine's fast fabric. If the image is None, the operating system's public image is used."""
    addresses_per_node: Callable[[str, bool], int] = lambda name, fabric: 1
    """Returns how many subnet addresses a node uses, given its machine type and whether the fast fabric is on."""
    has_image: Callable[[str, Machine], bool] = lambda os, machine: True
    """Returns whether an operating system has a public image for a machine. If the machine has GPUs, the image must
    include their driver."""
    image_gib: Callable[[str, Machine | None], tuple[int, bool] | None] = lambda os, machine: None
    """Given an operating system and a machine, returns (size in GiB, whether the size is confirmed) for the public
    image with the drivers that the machine needs. If the machine is None, the plain image is used. Returns None if
    the size is unknown."""
    base_images: Callable[[], Iterable[BaseImage]] = tuple
    """Returns all public images in the catalogue."""
    base_image: Callable[[str, Machine, str | None, bool], BaseImage | None] = lambda os, machine, name, lustre: None
    """Given the same arguments as `pinned_image`, returns what the catalogue knows about the image that the machine
    uses. A specified image may be another version of the returned one. Returns None if the catalogue doesn't list
    it."""
    lustre_client: Callable[[str], LustreClient | None] = lambda os: None
    """Given an operating system, returns the Lustre client that the cloud publishes for it, or None without one."""
    pinned_image: Callable[[str, Machine, str | None, bool], PinnedImage | None] = lambda os, machine, name, lustre: (
        None
    )
    """Given an operating system, a machine, an image name, and whether nodes mount Lustre, returns the image that the
    machine uses, or None if the image's publication date is unknown. If the image name is None, the operating
    system's default image is used, which may differ for nodes that mount Lustre."""
    region_of_host: Callable[[str], str | None] = lambda host: None
    """Returns the region in the host name of a cloud service, or None if the host name contains no region."""
    budget_limits: Callable[[], BudgetLimits | None] = lambda: None
    """Returns the limits on budgets, or None if they are unknown."""
    log_retention: Callable[[], LogRetention | None] = lambda: None
    """Returns the allowed retention periods for logs, or None if any period is allowed."""
    cold_storage: Callable[[], ColdStorage | None] = lambda: None
    """Returns the rules for moving objects in buckets to colder storage, or None if they are unknown."""
    tag_limits: Callable[[], TagLimits | None] = lambda: None
    """Returns the maximum number of tags and the reserved tag-key prefixes, or None if these are unknown."""
    reserved_mounts: Callable[[], Iterable[str]] = tuple
    """Returns the directories that the cloud's own software uses on nodes. Nothing may be mounted on or inside
    them."""


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
