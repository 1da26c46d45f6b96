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

__all__ = ["CLOUDS", "Cloud", "ExampleMachines", "UnknownCloudError", "Words", "cloud_named"]

CLOUDS: dict[str, str] = {
    "aws": "hpc_components.aws",
    "azure": "hpc_components.azure",
    "gcp": "hpc_components.gcp",
}
"""The package of each cloud, by its name under `cloud` in a description. Its module `cloud` defines a `Cloud` called
`CLOUD`.
"""


class UnknownCloudError(HpcError, KeyError):
    """There is no cloud of this name."""

    def __str__(self) -> str:
        return f"there is no cloud {self.args[0]!r}; there are {', '.join(CLOUDS)}"


@dataclass(frozen=True, kw_only=True)
class ExampleMachines:
    """Machine types that messages propose."""

    queue: str
    """For a queue without a fast fabric."""
    fabric: str
    """For a queue with one."""
    head: str
    """For the head node of a small cluster."""
    login: str
    """For a login node: two vCPUs."""
    least: str
    """The smallest of which nodes are made, with its memory: `c7i.large (4 GiB)`."""


@dataclass(frozen=True, kw_only=True)
class Words:
    """What a cloud calls what every cloud has, for messages."""

    compute: str
    """The service that launches machines: `EC2`."""
    fabric: str
    """The fast fabric: `EFA`. A machine's record may have a longer name for its own."""
    placement: str
    """A group of machines that are close to one another: `cluster placement group`."""
    network: str
    """A network: `VPC`."""
    internet: str
    """What connects a network with the internet, so that its machines can be reached: `internet gateway`."""
    quotas: str
    """Where a quota is raised: `Service Quotas`."""
    reservations: str
    """What lists the reservations of an account: a command, or a page of the cloud's console."""
    shell: str
    """What opens a shell on a node without an open port: `Session Manager`."""
    image_id: str
    """How the id of an image begins: `ami-...`."""
    subnet_id: str
    """How the id of a subnet begins: `subnet-...`."""
    machines: ExampleMachines


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """One cloud: its names and words, its constants of time and size, and the parts of its package."""

    name: str
    """As written under `cloud` in a description."""
    title: str
    """Its name in messages and pages."""
    package: str
    """Its Python package."""
    sdk: str
    """The Python module of Pulumi's SDK for it."""
    pulumi_package: str
    """Pulumi's name of that package, with which the types of its resources begin."""
    parts: "CloudParts"
    """What the package does for the core; each part is imported when it is used."""
    words: Words
    zonal_subnets: bool
    """Whether a subnet is of one zone, and named by it in a description; else of a region, and named by that."""
    widest_subnet: int
    """Prefix length of the largest subnet."""
    narrowest_subnet: int
    """Prefix length of the smallest subnet."""
    kept_addresses: tuple[int, int]
    """Addresses at the beginning and at the end of each subnet that the cloud keeps for itself."""
    spot_notice_seconds: int
    """Seconds between the notice that a spot machine is reclaimed and its end, or its power button's."""
    list_lag_seconds: int
    """Seconds after its launch by which a machine appears in the cloud's list of machines, at the latest."""
    launch_size: int
    """The most machines that one launch call can request."""
    bucket_scheme: str
    """Scheme of a bucket's address: `s3` of `s3://bucket/key`."""
    spot_shutdown_seconds: int = 0
    """Seconds in which the operating system of a spot machine may shut down after its notice; 0 if none are sure."""
    names_by_region: bool = True
    """Whether an account can have two clusters of one name, in two regions."""
    machines_by_name: str | None = None
    """Where a head node's permissions hold for all machines whose names begin with its cluster's: the key of a
    description that says whose machines these are, as `project`. None where they go by tags."""


@cache
def cloud_named(name: str) -> Cloud:
    """The cloud called `name`. UnknownCloudError if there is none."""
    if name not in CLOUDS:
        raise UnknownCloudError(name)
    return import_module(f"{CLOUDS[name]}.cloud").CLOUD
