"""Facts about Enroot and Pyxis, which run jobs in containers: their sources, and NVIDIA's archive of what their
containers need for GPUs.
"""

from dataclasses import dataclass

from hpc_components.catalog.by_kind import RecordsByKind

_RECORDS = RecordsByKind("pyxis", __file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedSource:
    """A release in a Git repository. The id of its commit is also the checksum of all its files."""

    name: str
    version: str
    repository: str
    commit: str
    source: str
    as_of: str


def pinned_source(name: str) -> PinnedSource:
    """Return the release of `enroot` or `pyxis` that nodes build."""
    (found,) = (record for record in _RECORDS.records("source") if record["name"] == name)
    return PinnedSource(**found)


def https_mirror() -> tuple[str, str]:
    """Return an address that Enroot's source names for a part of it, and the https address to use instead."""
    (found,) = _RECORDS.records("mirror")
    return found["of"], found["address"]


def gpu_tools_archive(family: str) -> tuple[str, str]:
    """Return the addresses of NVIDIA's package archive for a family of systems, and of its key."""
    (found,) = (record for record in _RECORDS.records("archive") if record["family"] == family)
    return found["address"], found["key"]
