"""Lifecycle rules of Cloud Storage: moves to colder classes, and expiration."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hpc_components.catalog.cold_storage import ColdStorage, age_refusals
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.gcp.catalog.file_systems import of_kind


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketOrder:
    """A bucket as ordered."""

    archive: Mapping[str, float] = field(default_factory=dict)
    """Age in days at which objects move, by class."""
    expire_days: float | None = None
    autoclass: bool = False
    folders: bool = False
    """A hierarchical namespace."""
    versioning: bool = False


def cold_storage() -> ColdStorage:
    """Return Cloud Storage's colder classes, and the check of lifecycle rules."""
    return ColdStorage(service="Cloud Storage", classes=classes(), days_kept=days_kept, refusals=lifecycle_refusals)


def classes() -> tuple[str, ...]:
    """Return the classes colder than `standard`, the warmest first: objects only move down this list."""
    return tuple(record["name"] for record in of_kind("gcs_class"))


def bucket_refusals(order: BucketOrder) -> Iterator[Refusal]:
    """What Cloud Storage would refuse of a bucket: its ages, as `lifecycle_refusals` says, and what excludes what.

    `archive`: Autoclass moves objects instead of rules by age. `versioning`: not with folders.
    Source: Cloud Storage documentation, "Autoclass" (restrictions: no SetStorageClass rule) and "About hierarchical
    namespace enabled buckets" (no object versioning).
    """
    yield from lifecycle_refusals(order.archive, order.expire_days)
    if order.archive and order.autoclass:
        yield Refusal(field="archive", why=Why.NOT_TAKEN, because_of="autoclass")
    if order.versioning and order.folders:
        yield Refusal(field="versioning", why=Why.NOT_TAKEN, because_of="folders")


def lifecycle_refusals(archive: Mapping[str, float], expire_days: float | None) -> Iterator[Refusal]:
    """What Cloud Storage would refuse of the ages in days at which objects move, by class, and expire.

    The field is the class, or `expire`. `allowed` has the least number of days where one number is too small. That an
    object leaves a class before `days_kept` is no refusal: it costs what the rest of them would.
    Source: Cloud Storage documentation, "Object Lifecycle Management": ages are whole days; of rules that are met
    together, deletion comes first, then the coldest class.
    """
    return age_refusals(archive, expire_days, classes())


def days_kept(name: str) -> int:
    """Return the minimum storage duration of a class in days, which is billed in any case; raise KeyError if
    unknown."""
    return {record["name"]: record["min_days_kept"] for record in of_kind("gcs_class")}[name]
