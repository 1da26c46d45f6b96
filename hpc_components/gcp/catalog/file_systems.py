"""Records of Google's storage services, by kind."""

from hpc_components.catalog.by_kind import RecordsByKind

of_kind = RecordsByKind("file_systems", __file__).records


def reserved_mounts() -> tuple[str, ...]:
    """Return directories of nodes that hold Google's software, under which nothing may be mounted."""
    return tuple(record["path"] for record in of_kind("reserved_mount"))
