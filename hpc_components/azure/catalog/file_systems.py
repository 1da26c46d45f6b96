"""Records about Azure's storage services, grouped by kind."""

from hpc_components.catalog.by_kind import RecordsByKind

of_kind = RecordsByKind("file_systems", __file__).records


def reserved_mounts() -> tuple[str, ...]:
    """Return the directories that are reserved for Azure's software. A node must not mount anything under them."""
    return tuple(record["path"] for record in of_kind("reserved_mount"))
