"""The records of what Google's storage services sell, by kind."""

from hpc_components.catalog.by_kind import RecordsByKind

of_kind = RecordsByKind("file_systems", __file__).records


def reserved_mounts() -> tuple[str, ...]:
    """Directories of nodes in which software of Google is, and under which nothing may be mounted."""
    return tuple(record["path"] for record in of_kind("reserved_mount"))
