"""Rules on the ages at which objects of buckets move to colder storage, or expire."""

from collections.abc import Iterator
from dataclasses import replace

from hpc_components.aws.catalog.filesystems import s3_class
from hpc_components.aws.catalog.lifecycle import by_coldness, lifecycle_refusals
from hpc_components.aws.rules._buckets import plain_buckets
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import Bucket
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.values import Duration

__all__: list[str] = []


@rule("HPC-BKT-005", Level.ERROR)
def archive_days(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Ages of objects are whole days, and S3 moves none to standard_ia before its thirtieth.

    Source: S3 API reference, Transition and LifecycleExpiration.
    """
    for path, bucket, refusal in _refused(cluster, Why.NOT_SOLD):
        if refusal.because_of is None:
            age, least = _age(bucket, refusal.field), int(refusal.allowed[0])
            yield Problem(
                path=(*path, *_keys(refusal.field)),
                value=str(age),
                reason=f"S3 counts whole days, at least {least}"
                + (" for standard_ia" if refusal.field == "standard_ia" else ""),
                remedy=f"use {max(least, round(age.days))}d",
            )


@rule("HPC-BKT-006", Level.ERROR)
def archive_order(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Objects move to colder storage as they age, never back.

    Source: S3 user guide, "Supported transitions and related constraints".
    """
    for path, bucket, refusal in _refused(cluster, Why.NOT_TAKEN):
        cold, warm = refusal.field, refusal.because_of or ""
        if cold != "expire":
            yield Problem(
                path=(*path, "archive", cold),
                value=str(_age(bucket, cold)),
                reason=f"objects move to {warm} at {_age(bucket, warm)} and can't be in the colder {cold} by then",
                remedy=f"use a later age for {cold}, or leave {warm} out",
            )


@rule("HPC-BKT-007", Level.ERROR)
def expires_last(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Objects expire after they have been moved for the last time.

    S3 refuses rules in another order. Source: S3 user guide, "Lifecycle configuration elements".
    """
    for path, bucket, refusal in _refused(cluster, Why.NOT_TAKEN):
        last = refusal.because_of or ""
        if refusal.field == "expire":
            age = _age(bucket, last)
            yield Problem(
                path=(*path, "expire"),
                value=str(bucket.expire),
                reason=f"objects are deleted at {bucket.expire}, and moved to {last} at {age}",
                remedy=f"expire them after {age}, or leave {last} out",
            )


@rule("HPC-BKT-008", Level.ERROR)
def kept_long_enough(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Objects stay in a storage class for as long as it is paid for anyway.

    glacier_ir and glacier are paid for 90 days, deep_archive for 180, standard_ia for 30. S3 refuses to move them on
    earlier; that they are deleted earlier is only warned about. Source: S3 user guide, storage classes, minimum
    storage duration.
    """
    for path, bucket, refusal in _refused(cluster, Why.NOT_SOLD):
        if refusal.because_of is not None:
            yield _too_short(path, bucket, refusal.because_of, refusal.field)
    for path, bucket in plain_buckets(cluster):
        for tier in by_coldness(_days(bucket))[-1:] if bucket.expire else ():
            kept = s3_class(tier)
            if kept and 0 < _age(bucket, "expire").days - _age(bucket, tier).days < kept.min_days_kept:
                yield replace(_too_short(path, bucket, tier, "expire"), level=Level.WARNING)


def _refused(cluster: AwsClusterSpec, why: Why) -> Iterator[tuple[Path, Bucket, Refusal]]:
    """What S3 would refuse for that reason of the ages at which objects move or expire."""
    for path, bucket in plain_buckets(cluster):
        expire = None if bucket.expire is None else bucket.expire.days
        for refusal in lifecycle_refusals(_days(bucket), expire):
            if refusal.why is why:
                yield path, bucket, refusal


def _too_short(path: Path, bucket: Bucket, tier: str, after: str) -> Problem:
    """Objects leave `tier` for `after`, or are deleted, before what is paid for anyway is over."""
    since, until, paid = _age(bucket, tier), _age(bucket, after), s3_class(tier)
    assert paid is not None
    return Problem(
        path=(*path, *_keys(after)),
        value=str(until),
        reason=f"objects are in {tier} for {until.days - since.days:g} days, and paid for {paid.min_days_kept}",
        remedy=f"use {since.days + paid.min_days_kept:g}d"
        + (f", or let them expire without {tier}" if after == "expire" else f", or leave {tier} out"),
    )


def _days(bucket: Bucket) -> dict[str, float]:
    return {tier: age.days for tier, age in bucket.archive.items()}


def _age(bucket: Bucket, field: str) -> Duration:
    ages: dict[str, Duration | None] = {**bucket.archive, "expire": bucket.expire}
    found = ages[field]
    assert found is not None
    return found


def _keys(field: str) -> tuple[str, ...]:
    return ("expire",) if field == "expire" else ("archive", field)
