"""The registry of clouds. A cloud consists of a package and a line in `CLOUDS`.

All other code looks clouds up here. Only a cloud's own package refers to it by name.
"""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from hpc_components.errors import HpcError

if TYPE_CHECKING:
    from hpc_components.cloud_parts import CloudParts

CLOUDS: dict[str, str] = {
    "aws": "hpc_components.aws",
    "azure": "hpc_components.azure",
    "gcp": "hpc_components.gcp",
}
"""Maps each cloud's name, as written under `cloud` in a description, to its package. The package's module `cloud`
defines a `Cloud` named `CLOUD`.
"""


class UnknownCloudError(HpcError, KeyError):
    """Raised if no cloud has the given name."""

    def __str__(self) -> str:
        return f"there is no cloud {self.args[0]!r}; choose one of {', '.join(CLOUDS)}"


@dataclass(frozen=True, kw_only=True)
class ExampleMachines:
    """Machine types used as examples in messages."""

    queue: str
    """Type for a queue without a fast fabric."""
    fabric: str
    """Type for a queue with a fast fabric."""
    head: str
    """Type for the head node of a small cluster."""
    login: str
    """Type for a login node, with two vCPUs."""
    least: str
    """The smallest suitable type for a node, with its memory, e.g. `c7i.large (4 GiB)`."""


@dataclass(frozen=True, kw_only=True)
class Words:
    """The cloud's own terms for things that every cloud has, for use in messages."""

    compute: str
    """The service that launches machines, e.g. `EC2`."""
    fabric: str
    """The fast fabric, e.g. `EFA`. A machine's record may have a more specific name."""
    placement: str
    """A group of machines that are close together, e.g. `cluster placement group`."""
    network: str
    """A network, e.g. `VPC`."""
    internet: str
    """The resource that connects a network to the internet, so that its machines can be reached, e.g. `internet
    gateway`.
    """
    quotas: str
    """Where to request a higher quota, e.g. `Service Quotas`."""
    reservations: str
    """Where users can list their account's reservations: a command, or a page of the cloud's console."""
    shell: str
    """How to get a shell on a node without an open port, e.g. `Session Manager`."""
    image_id: str
    """Format of an image id, e.g. `ami-...`."""
    subnet_id: str
    """Format of a subnet id, e.g. `subnet-...`."""
    machines: ExampleMachines


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """A cloud's names and terms, its time and size constants, and the parts of its package."""

    name: str
    """Name as written under `cloud` in a description."""
    title: str
    """Name as shown in messages and on pages."""
    package: str
    """Name of the cloud's Python package."""
    sdk: str
    """Name of the Python module of the cloud's Pulumi SDK."""
    pulumi_package: str
    """Name of the cloud's Pulumi package, which is the prefix of its resource types, e.g. `aws`."""
    parts: "CloudParts"
    """Implementations of everything that cloud-independent code needs from a cloud. Each is imported when it is
    used."""
    words: Words
    zonal_subnets: bool
    """Whether a subnet belongs to a single zone rather than to the region. If so, descriptions refer to subnets by
    zone."""
    widest_subnet: int
    """Prefix length of the largest subnet."""
    narrowest_subnet: int
    """Prefix length of the smallest subnet."""
    kept_addresses: tuple[int, int]
    """How many addresses the cloud reserves in each subnet: (at the beginning, at the end)."""
    spot_notice_seconds: int
    """Seconds from a spot machine's interruption notice to its termination or ACPI shutdown."""
    list_lag_seconds: int
    """Maximum number of seconds from a machine's launch until it appears in the cloud's list of machines."""
    launch_size: int
    """Maximum number of machines that a single launch call can request."""
    bucket_scheme: str
    """Scheme of bucket URLs, e.g. `s3` as in `s3://bucket/key`."""
    spot_shutdown_seconds: int = 0
    """Seconds that a spot machine's operating system has to shut down after the notice period, or 0 if no time is
    guaranteed.
    """
    names_by_region: bool = True
    """Whether an account can have two clusters with the same name in different regions."""
    machines_by_name: str | None = None
    """Key in a description, e.g. `project`, whose value is the scope in which cluster names must be unique.

    Set for clouds where a head node's permissions cover all machines whose names begin with its cluster's name; None
    if permissions depend on tags instead.
    """


@cache
def cloud_named(name: str) -> Cloud:
    """Return the cloud named `name`. Raise UnknownCloudError if there isn't one."""
    if name not in CLOUDS:
        raise UnknownCloudError(name)
    return import_module(f"{CLOUDS[name]}.cloud").CLOUD
