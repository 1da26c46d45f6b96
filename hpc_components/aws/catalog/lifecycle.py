from collections.abc import Iterator, Mapping
from itertools import pairwise

from hpc_components.aws.catalog.filesystems import s3_class
from hpc_components.catalog.cold_storage import ColdStorage, by_coldness
from hpc_components.catalog.refusal import Refusal, Why

WARM_TO_COLD = ("standard_ia", "intelligent_tiering", "onezone_ia", "glacier_ir", "glacier", "deep_archive")
"""Storage classes, warmest first. Objects can move only to classes later in the list. Source: S3 user guide,
"Supported transitions"."""


def cold_storage() -> ColdStorage:
    return ColdStorage(service="S3", classes=WARM_TO_COLD, days_kept=_days_kept, refusals=lifecycle_refusals)


def lifecycle_refusals(archive: Mapping[str, float], expire_days: float | None) -> Iterator[Refusal]:
    """Check the ages, in days, at which objects expire or move to each storage class, and yield what S3 would refuse.

    A refusal's field is a storage class or `expire`. If an age is too low, `allowed` contains the minimum number of
    days. Source: S3 API reference, Transition and LifecycleExpiration; S3 user guide, "Supported transitions and
    related constraints" and "Lifecycle configuration elements"; S3's error message, "'Days' in the 'Transition'
    action for StorageClass 'DEEP_ARCHIVE' must be 90 days more".
    """
    for name, days in archive.items():
        kind = s3_class(name)
        if kind is None or name not in WARM_TO_COLD:
            yield Refusal(field=name, why=Why.UNKNOWN, allowed=WARM_TO_COLD)
        elif days != int(days) or days < kind.min_days_before:
            yield Refusal(field=name, why=Why.NOT_SOLD, allowed=(kind.min_days_before,))
    for warm, cold in pairwise(by_coldness(archive, WARM_TO_COLD)):
        if archive[warm] >= archive[cold]:
            yield Refusal(field=cold, why=Why.NOT_TAKEN, because_of=warm)
        elif (kept := s3_class(warm)) and archive[cold] < archive[warm] + kept.min_days_kept:
            least = int(archive[warm] + kept.min_days_kept)
            yield Refusal(field=cold, why=Why.NOT_SOLD, because_of=warm, allowed=(least,))
    if expire_days is None:
        return
    if expire_days != int(expire_days) or expire_days < 1:
        yield Refusal(field="expire", why=Why.NOT_SOLD, allowed=(1,))
    if archive and expire_days <= max(archive.values()):
        yield Refusal(field="expire", why=Why.NOT_TAKEN, because_of=max(archive, key=lambda name: archive[name]))


def _days_kept(name: str) -> int:
    kind = s3_class(name)
    return kind.min_days_kept if kind else 0
