"""What a cloud brings, and which clouds there are. A cloud is one package plus one line, in `CLOUDS`.

Everything else asks here: nothing outside a cloud's own package knows a cloud by name.
"""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType

from hpc_components.errors import HpcError

__all__ = ["CLOUDS", "PRICED", "Cloud", "PricedCloud", "UnknownCloudError", "cloud_named", "priced_cloud"]

CLOUDS: dict[str, str] = {
    "aws": "hpc_components.aws",
}
"""The package of each cloud, by the word that a description has for it under `cloud`. Each has a module `cloud` with
a `Cloud` called `CLOUD`.
"""

PRICED: dict[str, str] = {
    "azure": "hpc_components.azure",
    "gcp": "hpc_components.gcp",
}
"""The package of each cloud whose machines and prices can be compared, but whose clusters can't be described yet.

It has a module `cloud` with a `PricedCloud` called `CLOUD`, and a part `catalog`. With the rest, its line moves to
`CLOUDS`.
"""


class UnknownCloudError(HpcError, KeyError):
    """No cloud is called that."""

    def __str__(self) -> str:
        return f"there is no cloud {self.args[0]!r}; there are {', '.join(CLOUDS)}"


@dataclass(frozen=True, kw_only=True)
class PricedCloud:
    """How one cloud is called, and the parts of its package.

    Nothing is imported before it is asked for: a part by its own name, so that who reads facts loads no models, and
    who judges a description loads no SDK.
    """

    name: str
    """As written under `cloud` in a description."""
    title: str
    """As people call it."""
    package: str
    """Its Python package."""
    sdk: str
    """The Python module of Pulumi's SDK for it."""
    pulumi_package: str
    """How Pulumi calls that package: what the types of its resources begin with."""

    def part(self, name: str) -> ModuleType:
        """A part of the package: `spec`, `rules`, `catalog`, `tags`, `boot`, `plan`, `program`, `first_cluster`,
        `rehearse`, `testing`.

        What each must have is said where it is used: see CONTRIBUTING.md, "A cloud".
        """
        return import_module(f"{self.package}.{name}")


@dataclass(frozen=True, kw_only=True)
class Cloud(PricedCloud):
    """One cloud on which clusters are described, with its constants of time and size."""

    kept_addresses: tuple[int, int]
    """Addresses at the beginning and at the end of each subnet that the cloud keeps for itself."""
    spot_notice_seconds: int
    """From the notice that a spot machine is taken away until it is."""
    list_lag_seconds: int
    """A machine that was launched this long ago is surely in the cloud's list of machines, if it is there."""
    launch_size: int
    """Most machines of one launch call."""
    bucket_scheme: str
    """What the address of a bucket begins with: `s3` of `s3://bucket/key`."""


@cache
def cloud_named(name: str) -> Cloud:
    """The cloud called `name`, on which clusters can be described. UnknownCloudError if there is none."""
    if name not in CLOUDS:
        raise UnknownCloudError(name)
    return import_module(f"{CLOUDS[name]}.cloud").CLOUD


def priced_cloud(name: str) -> PricedCloud:
    """The cloud called `name`, whether clusters can be described on it or not. UnknownCloudError if there is none."""
    if name not in PRICED:
        return cloud_named(name)
    return import_module(f"{PRICED[name]}.cloud").CLOUD
