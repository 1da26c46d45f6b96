"""Checks buckets, and the ages at which objects move, against what Cloud Storage offers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hpc_components.catalog import refusal
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.cold_storage import ColdStorage, age_refusals
from hpc_components.catalog.offer import Limit, Refusal

_AGES_OR_AUTOCLASS = Limit(
    id="HPC-GCS-004",
    title="Objects move to colder storage by age (`archive`) or by Autoclass, not by both",
    why="A bucket with Autoclass accepts no lifecycle rule that sets a storage class.",
    source='Cloud Storage documentation, "Autoclass", restrictions',
)
_FOLDERS_OR_VERSIONS = Limit(
    id="HPC-GCS-005",
    title="A bucket has real folders or versions of objects, not both",
    why="Buckets with a hierarchical namespace do not support versioning.",
    source='Cloud Storage documentation, "Hierarchical namespace", limitations',
)

LIMITS = (_AGES_OR_AUTOCLASS, _FOLDERS_OR_VERSIONS)

facts_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketOrder:
    """The settings of a bucket to be created. `lifecycle_refusals` checks the ages of objects separately."""

    archive: bool = False
    """Whether objects move to colder classes depending on their age."""
    autoclass: bool = False
    folders: bool = False
    """Whether the bucket has a hierarchical namespace."""
    versioning: bool = False


def refusals(order: BucketOrder) -> Iterator[Refusal]:
    """Yield the reasons why Cloud Storage would refuse to create a bucket."""
    if order.archive and order.autoclass:
        yield _AGES_OR_AUTOCLASS.refuse(
            "archive",
            reason="Autoclass chooses the storage class itself, and excludes rules by age",
            changes={"archive": None},
            alternative={"autoclass": None},
            conflicts_with="autoclass",
        )
    if order.versioning and order.folders:
        yield _FOLDERS_OR_VERSIONS.refuse(
            "versioning",
            reason="a bucket with a hierarchical namespace keeps no versions, which are on by default",
            changes={"versioning": False},
            alternative={"folders": None},
            conflicts_with="folders",
        )


def cold_storage() -> ColdStorage:
    """Return Cloud Storage's colder classes, and the function that checks lifecycle rules."""
    return ColdStorage(service="Cloud Storage", classes=classes(), days_kept=days_kept, refusals=lifecycle_refusals)


def classes() -> tuple[str, ...]:
    """Return the classes colder than `standard`, the warmest first. Objects can only move down this list."""
    return tuple(record["name"] for record in facts_of_kind("class"))


def lifecycle_refusals(archive: Mapping[str, float], expire_days: float | None) -> Iterator[refusal.Refusal]:
    """Yield the reasons why Cloud Storage would refuse the ages, in days, at which objects move and expire.

    A refusal's field is the class, or `expire`. If an age is too small by itself, `allowed` holds the minimum.
    Objects may leave a class before `days_kept`, but the remaining days are billed.

    Source: Cloud Storage documentation, "Object Lifecycle Management": ages are whole days; if several rules apply,
    deletion comes first, then the coldest class.
    """
    return age_refusals(archive, expire_days, classes())


def days_kept(name: str) -> int:
    """Return a class's minimum storage duration in days, which is billed in any case.

    Raise KeyError if the class is unknown.
    """
    return {record["name"]: record["min_days_kept"] for record in facts_of_kind("class")}[name]
