"""S3 storage classes, and reserved directories."""

from dataclasses import dataclass

from hpc_components.catalog.by_kind import RecordsByKind

_of_kind = RecordsByKind("filesystems", __file__).records


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Class:
    """A storage class: the minimum age at which objects can move to it, and the minimum time billed, both in days."""

    name: str
    min_days_before: int
    min_days_kept: int
    source: str
    as_of: str


def s3_class(name: str) -> S3Class | None:
    """Return the S3 storage class with that name, such as `deep_archive`."""
    return next((S3Class(**r) for r in _of_kind("s3_class") if r["name"] == name), None)


def reserved_mounts() -> tuple[str, ...]:
    """Return the directories that hold AWS software on nodes. Nothing may be mounted below them."""
    return tuple(record["path"] for record in _of_kind("reserved_mount"))
