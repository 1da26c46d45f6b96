"""Limits of EBS volumes, storage classes of S3, and reserved directories."""

from collections.abc import Sequence
from dataclasses import dataclass

from hpc_components.catalog.by_kind import RecordsByKind

_of_kind = RecordsByKind("filesystems", __file__).records


@dataclass(frozen=True, slots=True, kw_only=True)
class EbsType:
    """Limits of one EBS volume type; None for settings that it does not support."""

    type: str
    min_gib: int
    max_gib: int
    min_iops: int | None = None
    max_iops: int | None = None
    iops_per_gib: int | None = None
    min_mibs: int | None = None
    max_mibs: int | None = None
    mibs_per_iops: float | None = None
    notes: str = ""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Class:
    """A storage class: minimum age in days for objects that a rule moves there, and minimum days that are billed."""

    name: str
    min_days_before: int
    min_days_kept: int
    source: str
    as_of: str


def ebs_type(name: str) -> EbsType | None:
    """Return the EBS volume type of that name, such as `gp3`."""
    return next((EbsType(**r) for r in _of_kind("ebs") if r["type"] == name), None)


def ebs_types() -> tuple[str, ...]:
    """Return the names of the EBS volume types."""
    return tuple(r["type"] for r in _of_kind("ebs"))


def s3_class(name: str) -> S3Class | None:
    """Return the S3 storage class of that name, such as `deep_archive`."""
    return next((S3Class(**r) for r in _of_kind("s3_class") if r["name"] == name), None)


def reserved_mounts() -> tuple[str, ...]:
    """Return the directories of nodes that contain software of AWS, so that nothing may be mounted below."""
    return tuple(record["path"] for record in _of_kind("reserved_mount"))
