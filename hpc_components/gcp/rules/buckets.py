"""Rules on Cloud Storage buckets."""

import re
from collections.abc import Iterator

from hpc_components.catalog.autonaming import RANDOM_SUFFIX
from hpc_components.gcp.catalog.lifecycle import BucketOrder, bucket_refusals
from hpc_components.gcp.catalog.names import longest_name, wrong_name
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.spec.storage import GcsBucket
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-GCS-001", Level.ERROR)
def bucket_name(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A bucket's name is one that Cloud Storage takes.

    3 to 63 small letters, digits, `-`, `_` and `.`; it begins and ends with a letter or digit, is no IP address, and
    has no `google` in it, nor `goog` at its beginning. With dots it is the name of a domain, and Google wants to see
    that it is yours: this is a warning. Source: Cloud Storage documentation, "About Cloud Storage buckets", bucket
    names, and "Domain-named bucket verification".
    """
    for key, bucket in cluster.buckets.items():
        if bucket.name is not None and (wrong := wrong_name("bucket", bucket.name)):
            plain = re.sub(r"\.(?=[a-z0-9-]*[a-z])", "-", bucket.name)  # an address keeps its dots
            domain = "." not in plain and plain != bucket.name and not wrong_name("bucket", plain)
            yield Problem(
                path=("buckets", key, "name"),
                value=bucket.name,
                reason=wrong[0],
                remedy=wrong[1],
                level=Level.WARNING if domain else None,
            )


@rule("HPC-GCS-002", Level.ERROR)
def bucket_name_that_is_made(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The name that a bucket gets is not too long, and one that Cloud Storage takes.

    Without `name` it is called `<cluster>-<bucket>` with a random end. Source: Cloud Storage documentation, "About
    Cloud Storage buckets", bucket names; the random end is Pulumi's.
    """
    for key, bucket in cluster.buckets.items():
        made = f"{cluster.name}-{key}"
        if bucket.name is not None:
            continue
        if (over := len(made + RANDOM_SUFFIX) - longest_name("bucket")) > 0:
            reason = f"it would be called {made} and a random end, which is {over} too long for Cloud Storage"
            remedy = f"shorten the bucket's or the cluster's name by {over}, or add name"
        elif (wrong := wrong_name("bucket", made)) and not wrong_name("bucket", f"{cluster.name}-data"):
            reason = f"it would be called {made} and a random end: {wrong[0]}"
            remedy = "use another word for it, or add name"
        else:
            continue
        yield Problem(path=("buckets", key), reason=reason, remedy=remedy)


@rule("HPC-GCS-003", Level.INFO)
def bucket_of_the_world(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The name of a bucket is free.

    It is taken once, by anybody in the world; by default it has a random end. Source: Cloud Storage documentation,
    "About Cloud Storage buckets", bucket names.
    """
    for key, bucket in cluster.buckets.items():
        if bucket.name is not None and not wrong_name("bucket", bucket.name):
            yield Problem(
                path=("buckets", key, "name"),
                value=bucket.name,
                reason=f"somebody else may have a bucket called {bucket.name}: then this one can't be made",
                remedy=f"look it up: gcloud storage buckets describe gs://{bucket.name} must find none; or remove it"
                " for a name with a random end",
            )


@rule("HPC-GCS-004", Level.ERROR)
def one_who_moves(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Objects are moved to colder storage by age (`archive`) or by Google (`autoclass`), not by both.

    A bucket with Autoclass takes no rule that sets a storage class. Source: Cloud Storage documentation, "Autoclass",
    restrictions.
    """
    for key, bucket in _refused(cluster, "archive", "autoclass"):
        yield Problem(
            path=("buckets", key, "archive"),
            value=", ".join(bucket.archive),
            reason="autoclass: true lets Google choose the class, and refuses rules by age",
            remedy="remove archive, or autoclass",
        )


@rule("HPC-GCS-005", Level.ERROR)
def folders_or_versions(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A bucket has real folders or versions of objects, not both.

    Buckets with a hierarchical namespace take no versioning. Source: Cloud Storage documentation, "Hierarchical
    namespace", limitations.
    """
    for key, bucket in _refused(cluster, "versioning", "folders"):
        given = bucket.given("versioning")
        yield Problem(
            path=("buckets", key, "versioning" if given else "folders"),
            value=True,
            reason="a bucket with a hierarchical namespace keeps no versions"
            + ("" if given else ", and versioning is true by default"),
            remedy="use versioning: false, or remove folders",
        )


@rule("HPC-GCS-006", Level.INFO)
def without_second_chance(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Objects that jobs may delete can be brought back.

    Without versions, what is deleted or overwritten is in Google's soft delete for seven days only. Source: Cloud
    Storage documentation, "Soft delete".
    """
    for key, bucket in cluster.buckets.items():
        if not bucket.versioning and not bucket.folders and bucket.write_from != ():
            yield Problem(
                path=("buckets", key, "versioning"),
                value=False,
                reason="an object that a job deletes or overwrites can be brought back for seven days only, by an"
                " administrator",
                remedy="remove versioning: false, which keeps them for 30 days; or write_from: [] if jobs only read",
            )


def _refused(cluster: GcpClusterSpec, field: str, because_of: str) -> Iterator[tuple[str, GcsBucket]]:
    """The buckets of which Google would refuse a field, because of another one."""
    for key, bucket in cluster.buckets.items():
        order = BucketOrder(
            archive={name: age.days for name, age in bucket.archive.items()},
            autoclass=bucket.autoclass,
            folders=bucket.folders,
            versioning=bucket.versioning,
        )
        if any((each.field, each.because_of) == (field, because_of) for each in bucket_refusals(order)):
            yield key, bucket
