"""NVIDIA's driver in the packages of operating systems, for images made from a recipe."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.catalog._load import records


@dataclass(frozen=True, slots=True, kw_only=True)
class NvidiaDriver:
    """A branch of the driver, with the open kernel modules and the fabric manager of the same version."""

    os: str
    branch: str
    """First number of the version, which is part of the packages' names, e.g. `580`."""
    version: str
    """Newest version at `as_of`. An image gets the newest one when it is made."""
    arch: Sequence[str]
    """Architectures for which the archive was read."""
    source: str
    as_of: str


@cache
def nvidia_drivers() -> tuple[NvidiaDriver, ...]:
    return tuple(NvidiaDriver(**record) for record in records("nvidia_drivers"))


def needs_subnet_manager(model: str) -> bool:
    """Return whether GPUs of this model are joined by switches that NVIDIA's subnet manager (nvlsm) sets up.

    Without it, no program can use the GPUs. No operating system has a package of it.
    """
    return any(model in record["models"] for record in records("subnet_managed_gpus"))
