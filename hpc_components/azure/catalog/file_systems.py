from hpc_components.catalog.by_kind import RecordsByKind

of_kind = RecordsByKind("file_systems", __file__).records


def reserved_mounts() -> tuple[str, ...]:
    return tuple(record["path"] for record in of_kind("reserved_mount"))
