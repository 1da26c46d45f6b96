"""S3 storage classes, and directories reserved for AWS software."""

from dataclasses import dataclass

from hpc_components.catalog.by_kind import RecordsByKind

_of_kind = RecordsByKind("filesystems", __file__).records


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Class:
    """A storage class. `min_days_before` is the minimum age, in days, at which objects can move to the class, and
    `min_days_kept` is the minimum number of days billed.
    """

    name: str
    min_days_before: int
    min_days_kept: int
    source: str
    as_of: str


def s3_class(name: str) -> S3Class | None:
    return next((S3Class(**r) for r in _of_kind("s3_class") if r["name"] == name), None)


def reserved_mounts() -> tuple[str, ...]:
    return tuple(record["path"] for record in _of_kind("reserved_mount"))
