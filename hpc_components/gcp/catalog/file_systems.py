"""The records of what Google's storage services sell, by kind."""

from functools import cache

from hpc_components.catalog._load import Record, records

__all__ = ["of_kind", "reserved_mounts"]


def of_kind(kind: str) -> tuple[Record, ...]:
    """The records of one kind, such as `lustre`, in the order of the file and without that word."""
    return _by_kind().get(kind, ())


def reserved_mounts() -> tuple[str, ...]:
    """Directories of nodes in which software of Google is, and under which nothing may be mounted."""
    return tuple(record["path"] for record in of_kind("reserved_mount"))


@cache
def _by_kind() -> dict[str, tuple[Record, ...]]:
    kinds: dict[str, list[Record]] = {}
    for record in records("file_systems", __file__):
        kinds.setdefault(record.pop("kind"), []).append(record)
    return {kind: tuple(found) for kind, found in kinds.items()}
