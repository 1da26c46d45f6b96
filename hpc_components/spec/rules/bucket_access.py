from collections.abc import Iterator

from hpc_components.spec.bucket_access import places
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.storage import ObjectBucket
from hpc_components.wording import any_of, did_you_mean


@rule("HPC-BKT-003", Level.ERROR)
def bucket_names_differ(cluster: ClusterSpec) -> Iterator[Problem]:
    """Buckets must have different names.

    Bucket names must be unique across all accounts, so a second bucket with the same name can't be created. Source:
    on AWS, S3 user guide, "General purpose bucket naming rules".
    """
    first: dict[str, str] = {}
    for key, bucket in cluster.buckets.items():
        if not isinstance(bucket, ObjectBucket) or bucket.name is None:
            continue
        if (other := first.setdefault(bucket.name, key)) != key:
            yield Problem(
                path=("buckets", key, "name"),
                value=bucket.name,
                reason=f"buckets.{other} also has the name {bucket.name}",
                remedy="rename one of the buckets",
            )


@rule("HPC-BKT-013", Level.ERROR)
def places_exist(cluster: ClusterSpec) -> Iterator[Problem]:
    """Entries in `read_from` and `write_from` must be `login` or one of the cluster's queues.

    Access is granted to the roles of the login nodes and of each queue, so any other entry would have no effect.
    """
    known = places(cluster)
    for key, bucket in cluster.buckets.items():
        for field, named in (("read_from", bucket.read_from), ("write_from", bucket.write_from)):
            for index, place in enumerate(named or ()):
                if place not in known:
                    yield Problem(
                        path=("buckets", key, field, index),
                        value=place,
                        reason=f"there is no queue {place!r}",
                        remedy=did_you_mean(place, known, f"use {any_of(known)}", cutoff=0.7),
                    )
