"""The registry of clouds. To add a cloud, create its package and add a line to `CLOUDS`.

All other code looks clouds up here. Only a cloud's own package mentions the cloud by name.
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
"""Maps each cloud's name, as written under `cloud` in a description, to its package. The package's `cloud` module
defines a `Cloud` named `CLOUD`."""


class UnknownCloudError(HpcError, KeyError):
    def __str__(self) -> str:
        return f"unknown cloud {self.args[0]!r}; choose one of {', '.join(CLOUDS)}"


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
    """Smallest suitable type for a node, and its memory, e.g. `c7i.large (4 GiB)`."""


@dataclass(frozen=True, kw_only=True)
class Words:
    """Cloud-specific terms for things that every cloud has, for use in messages."""

    compute: str
    """The service that launches machines, e.g. `EC2`."""
    fabric: str
    """The fast fabric, e.g. `EFA`. Facts about a machine type may contain a more specific name."""
    placement: str
    """A group of machines placed close together, e.g. `cluster placement group`."""
    network: str
    """A virtual network, e.g. `VPC`."""
    internet: str
    """Resource that connects a network to the internet, e.g. `internet gateway`."""
    quotas: str
    """Where to request a higher quota, e.g. `Service Quotas`."""
    reservations: str
    """Where users can list their reservations: a command or a page in the cloud's console."""
    shell: str
    """Way to open a shell on a node without exposing a port, e.g. `Session Manager`."""
    image_id: str
    """Format of an image id, e.g. `ami-...`."""
    subnet_id: str
    """Format of a subnet id, e.g. `subnet-...`."""
    machines: ExampleMachines


@dataclass(frozen=True, kw_only=True)
class Cloud:
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
    """What cloud-independent code needs from this cloud. Each part is imported on first use."""
    words: Words
    zonal_subnets: bool
    """Whether a subnet belongs to a single zone rather than to the whole region."""
    widest_subnet: int
    """Prefix length of the largest subnet."""
    narrowest_subnet: int
    """Prefix length of the smallest subnet."""
    kept_addresses: tuple[int, int]
    """Number of addresses that the cloud reserves at the beginning and at the end of each subnet."""
    spot_notice_seconds: int
    """Seconds from a spot machine's interruption notice to its termination or ACPI shutdown."""
    list_lag_seconds: int
    """Maximum delay, in seconds, before a launched machine appears in the cloud's list of machines."""
    launch_size: int
    """Maximum number of machines that a single launch call can request."""
    bucket_scheme: str
    """Scheme of bucket URLs, e.g. `s3` as in `s3://bucket/key`."""
    spot_shutdown_seconds: int = 0
    """Time, in seconds, that a spot machine has for shutting down after the notice period, or 0 if the cloud
    guarantees none."""
    names_by_region: bool = True
    """Whether an account can have two clusters with the same name in different regions."""
    machines_by_name: str | None = None
    """Key in a description, e.g. `project`, whose value is the scope in which cluster names must be unique.

    On clouds with such a key, a head node's permissions cover all machines whose names begin with its cluster's name.
    None if permissions depend on tags instead.
    """


@cache
def cloud_named(name: str) -> Cloud:
    """Look up a cloud. Raise UnknownCloudError if the name is unknown."""
    if name not in CLOUDS:
        raise UnknownCloudError(name)
    return import_module(f"{CLOUDS[name]}.cloud").CLOUD
