"""Records about Azure's storage services, by kind."""

from hpc_components.catalog.by_kind import RecordsByKind

of_kind = RecordsByKind("file_systems", __file__).records


def reserved_mounts() -> tuple[str, ...]:
    """Return the directories that contain Azure's software, below which nothing may be mounted on nodes."""
    return tuple(record["path"] for record in of_kind("reserved_mount"))
