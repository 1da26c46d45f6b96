"""The registry of clouds. A cloud is one package plus one line in `CLOUDS`.

All other code looks a cloud up here: nothing outside a cloud's own package names one.
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
"""The package of each cloud, by its name under `cloud` in a description. Its module `cloud` defines a `Cloud` called
`CLOUD`.
"""


class UnknownCloudError(HpcError, KeyError):
    """No cloud has this name."""

    def __str__(self) -> str:
        return f"there is no cloud {self.args[0]!r}; choose one of {', '.join(CLOUDS)}"


@dataclass(frozen=True, kw_only=True)
class ExampleMachines:
    """Machine types that messages propose."""

    queue: str
    """For a queue without a fast fabric."""
    fabric: str
    """For a queue with a fast fabric."""
    head: str
    """For the head node of a small cluster."""
    login: str
    """For a login node: two vCPUs."""
    least: str
    """The smallest machine type that a node can have, with its memory: `c7i.large (4 GiB)`."""


@dataclass(frozen=True, kw_only=True)
class Words:
    """The cloud's own terms for things that every cloud has, for messages."""

    compute: str
    """The service that launches machines: `EC2`."""
    fabric: str
    """The fast fabric: `EFA`. The record of a machine may have a more specific name."""
    placement: str
    """A group of machines that are close to one another: `cluster placement group`."""
    network: str
    """A network: `VPC`."""
    internet: str
    """The resource that connects a network to the internet, so that its machines can be reached: `internet gateway`.
    """
    quotas: str
    """Where to request a higher quota: `Service Quotas`."""
    reservations: str
    """Where to list the reservations of an account: a command, or a page of the cloud's console."""
    shell: str
    """How to open a shell on a node without an open port: `Session Manager`."""
    image_id: str
    """Form of an image id: `ami-...`."""
    subnet_id: str
    """Form of a subnet id: `subnet-...`."""
    machines: ExampleMachines


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """One cloud: its names and words, its constants of time and size, and the parts of its package."""

    name: str
    """The name under `cloud` in a description."""
    title: str
    """The name in messages and pages."""
    package: str
    """The Python package of this cloud."""
    sdk: str
    """Name of the Python module of the cloud's Pulumi SDK."""
    pulumi_package: str
    """Pulumi's name of that package, the prefix of its resource types."""
    parts: "CloudParts"
    """Implementations of what the core asks a cloud for; each is imported when it is used."""
    words: Words
    zonal_subnets: bool
    """Whether a subnet belongs to a zone, which a description names it by; otherwise to a region."""
    widest_subnet: int
    """Prefix length of the largest subnet."""
    narrowest_subnet: int
    """Prefix length of the smallest subnet."""
    kept_addresses: tuple[int, int]
    """Number of addresses that the cloud reserves at the beginning and at the end of each subnet."""
    spot_notice_seconds: int
    """Seconds between the interruption notice of a spot machine and its end or ACPI shutdown."""
    list_lag_seconds: int
    """Maximum seconds after its launch until a machine appears in the cloud's list of machines."""
    launch_size: int
    """Maximum number of machines that one launch call can request."""
    bucket_scheme: str
    """Scheme of a bucket's URL: `s3` of `s3://bucket/key`."""
    spot_shutdown_seconds: int = 0
    """Seconds that the operating system of a spot machine has to shut down after its notice; 0 if none are
    guaranteed.
    """
    names_by_region: bool = True
    """Whether an account can have two clusters with the same name in different regions."""
    machines_by_name: str | None = None
    """Key of a description that names the scope in which cluster names must be unique, such as `project`; None if
    permissions go by tags.

    Set on clouds where a head node's permissions cover all machines whose names begin with its cluster's name.
    """


@cache
def cloud_named(name: str) -> Cloud:
    """Return the cloud called `name`; UnknownCloudError if there is no such cloud."""
    if name not in CLOUDS:
        raise UnknownCloudError(name)
    return import_module(f"{CLOUDS[name]}.cloud").CLOUD
