from collections.abc import Iterator
from itertools import pairwise

from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.storage import ObjectBucket
from hpc_components.spec.values import Duration

MAX_AGE_DAYS = 36_500
"""Maximum object age that S3 accepts: a hundred years. Source: S3 API reference, LifecycleExpiration."""


@rule("HPC-BKT-005", Level.ERROR)
def archive_days(cluster: ClusterSpec) -> Iterator[Problem]:
    """Object ages must be whole days, and objects must not move to a storage class before that class accepts them.

    On AWS, standard_ia accepts objects that are at least 30 days old, and the maximum age is a hundred years. Source:
    on AWS, S3 API reference, Transition and LifecycleExpiration; on Azure, "Azure Blob Storage lifecycle management
    overview".
    """
    for path, bucket in _buckets(cluster):
        for field in (*bucket.archive, *(["expire"] if bucket.expire else [])):
            if (age := _age(bucket, field)).days > MAX_AGE_DAYS:
                yield Problem(
                    path=(*path, *_keys(field)),
                    value=str(age),
                    reason=f"{age.days:,.0f} days is more than a hundred years",
                    remedy=f"remove this age, or use at most {MAX_AGE_DAYS}d",
                )
    cold = catalog_of(cluster.cloud).cold_storage()
    for path, bucket, refusal in _refused(cluster, Why.NOT_SOLD):
        if cold is not None and refusal.because_of is None:
            age, least = _age(bucket, refusal.field), int(refusal.allowed[0])
            late = refusal.field != "expire" and least > 1
            yield Problem(
                path=(*path, *_keys(refusal.field)),
                value=str(age),
                reason=f"{cold.service} accepts only whole days, and at least {least}"
                + (f" for {refusal.field}" if late else ""),
                remedy=f"use {max(least, round(age.days))}d",
            )


@rule("HPC-BKT-006", Level.ERROR)
def archive_order(cluster: ClusterSpec) -> Iterator[Problem]:
    """Objects must move to colder storage as they age, never back.

    Source: on AWS, S3 user guide, "Supported transitions and related constraints"; on Azure, "Azure Blob Storage
    lifecycle management overview".
    """
    for path, bucket, refusal in _refused(cluster, Why.NOT_TAKEN):
        cold, warm = refusal.field, refusal.because_of or ""
        if cold != "expire":
            yield Problem(
                path=(*path, "archive", cold),
                value=str(_age(bucket, cold)),
                reason=f"objects move to {warm} after {_age(bucket, warm)}, so they must move to the colder {cold} "
                "later than that",
                remedy=f"use a higher age for {cold}, or leave {warm} out",
            )


@rule("HPC-BKT-007", Level.ERROR)
def expires_last(cluster: ClusterSpec) -> Iterator[Problem]:
    """Objects must not expire before they move to their last storage class.

    The cloud refuses ages in any other order. Source: on AWS, S3 user guide, "Lifecycle configuration elements"; on
    Azure, "Azure Blob Storage lifecycle management overview".
    """
    for path, bucket, refusal in _refused(cluster, Why.NOT_TAKEN):
        last = refusal.because_of or ""
        if refusal.field == "expire":
            age = _age(bucket, last)
            yield Problem(
                path=(*path, "expire"),
                value=str(bucket.expire),
                reason=f"objects expire after {bucket.expire}, but would move to {last} after {age}",
                remedy=f"set expire to more than {age}, or leave {last} out",
            )


@rule("HPC-BKT-008", Level.ERROR)
def kept_long_enough(cluster: ClusterSpec) -> Iterator[Problem]:
    """Objects must stay in a storage class for at least its minimum billed duration.

    On AWS, glacier_ir and glacier are billed for at least 90 days, deep_archive for 180, and standard_ia for 30; on
    Azure, cool for 30, cold for 90, and archive for 180. S3 refuses to move objects earlier. The finding is a warning
    if the cloud accepts an earlier move, or if objects expire early. Source: S3 user guide, storage classes, minimum
    storage duration; Azure Storage documentation, "Access tiers for blob data".
    """
    cold = catalog_of(cluster.cloud).cold_storage()
    if cold is None:
        return
    refused = {(path, each.because_of, each.field) for path, _, each in _refused(cluster, Why.NOT_SOLD)}
    for path, bucket in _buckets(cluster):
        moves = [name for name in cold.classes if name in bucket.archive]
        for name, after in pairwise([*moves, *(["expire"] if bucket.expire else [])]):
            since, until, kept = _age(bucket, name).days, _age(bucket, after).days, cold.days_kept(name)
            if 0 < until - since < kept:
                yield Problem(
                    path=(*path, *_keys(after)),
                    value=str(_age(bucket, after)),
                    reason=f"objects stay in {name} for {until - since:g} days, but are billed for {kept}",
                    remedy=f"use {since + kept:g}d"
                    + (
                        f", or let objects expire without moving to {name}"
                        if after == "expire"
                        else f", or leave {name} out"
                    ),
                    level=None if (path, name, after) in refused else Level.WARNING,
                )


def _buckets(cluster: ClusterSpec) -> Iterator[tuple[Path, ObjectBucket]]:
    for key, bucket in cluster.buckets.items():
        if isinstance(bucket, ObjectBucket):
            yield ("buckets", key), bucket


def _refused(cluster: ClusterSpec, why: Why) -> Iterator[tuple[Path, ObjectBucket, Refusal]]:
    cold = catalog_of(cluster.cloud).cold_storage()
    if cold is None:
        return
    for path, bucket in _buckets(cluster):
        expire = None if bucket.expire is None else bucket.expire.days
        for refusal in cold.refusals({name: age.days for name, age in bucket.archive.items()}, expire):
            if refusal.why is why:
                yield path, bucket, refusal


def _age(bucket: ObjectBucket, field: str) -> Duration:
    ages: dict[str, Duration | None] = {**bucket.archive, "expire": bucket.expire}
    found = ages[field]
    assert found is not None
    return found


def _keys(field: str) -> tuple[str, ...]:
    return ("expire",) if field == "expire" else ("archive", field)
