from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hpc_components.catalog import refusal
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.cold_storage import ColdStorage, age_refusals
from hpc_components.catalog.offer import Limit, Refusal

_AGES_OR_AUTOCLASS = Limit(
    id="HPC-GCS-004",
    title="Objects must move to colder storage either by age (`archive`) or by Autoclass, not both",
    why="A bucket with Autoclass can't have lifecycle rules that set a storage class.",
    source='Cloud Storage documentation, "Autoclass", restrictions',
)
_FOLDERS_OR_VERSIONS = Limit(
    id="HPC-GCS-005",
    title="A bucket with `folders` must not have `versioning`",
    why="Buckets with a hierarchical namespace do not support versioning.",
    source='Cloud Storage documentation, "Hierarchical namespace", limitations',
)

LIMITS = (_AGES_OR_AUTOCLASS, _FOLDERS_OR_VERSIONS)

facts_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketOrder:
    """Settings of a new bucket. Object ages are checked separately, by `lifecycle_refusals`."""

    archive: bool = False
    """Whether objects move to colder classes as they age."""
    autoclass: bool = False
    folders: bool = False
    """Whether the bucket has a hierarchical namespace."""
    versioning: bool = False


def refusals(order: BucketOrder) -> Iterator[Refusal]:
    if order.archive and order.autoclass:
        yield _AGES_OR_AUTOCLASS.refuse(
            "archive",
            reason="Autoclass chooses the storage class itself and can't be combined with age rules",
            changes={"archive": None},
            alternative={"autoclass": None},
            conflicts_with="autoclass",
        )
    if order.versioning and order.folders:
        yield _FOLDERS_OR_VERSIONS.refuse(
            "versioning",
            reason="versioning, which is on by default, is not supported in a bucket with a hierarchical namespace",
            changes={"versioning": False},
            alternative={"folders": None},
            conflicts_with="folders",
        )


def cold_storage() -> ColdStorage:
    return ColdStorage(service="Cloud Storage", classes=classes(), days_kept=days_kept, refusals=lifecycle_refusals)


def classes() -> tuple[str, ...]:
    """Return the storage classes that are colder than `standard`, warmest first. Objects can only move down this
    list.
    """
    return tuple(record["name"] for record in facts_of_kind("class"))


def lifecycle_refusals(archive: Mapping[str, float], expire_days: float | None) -> Iterator[refusal.Refusal]:
    """Yield the reasons why Cloud Storage would refuse the ages (in days) at which objects change class or expire.

    A refusal's field is a storage class, or `expire`. If an age by itself is too low, `allowed` contains the minimum.
    An age that moves objects out of a class before `days_kept` is not refused, but Google then charges for the
    remaining days.

    Source: Cloud Storage documentation, "Object Lifecycle Management": ages are whole days; if several rules apply,
    deletion comes first, then the coldest class.
    """
    return age_refusals(archive, expire_days, classes())


def days_kept(name: str) -> int:
    """Return a storage class's minimum storage duration in days. Google charges for this duration even if an object
    is deleted earlier.

    Raise KeyError if the class is unknown.
    """
    return {record["name"]: record["min_days_kept"] for record in facts_of_kind("class")}[name]
