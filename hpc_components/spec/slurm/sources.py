from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from hpc_components.catalog._load import records


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmSource:
    """SchedMD's source of a Slurm release, at one or more addresses."""

    release: str
    """Release, e.g. `25.11`."""
    version: str
    """Newest version of the release whose sum is known, e.g. `25.11.8`."""
    sha256: str
    addresses: Sequence[str]
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@cache
def slurm_sources() -> tuple[SlurmSource, ...]:
    return tuple(SlurmSource(**record) for record in records("sources", __file__))


def source_of(release: str) -> SlurmSource | None:
    """Return the source of a release, or None if its sum is unknown."""
    return next((known for known in slurm_sources() if known.release == release), None)
