import re
from collections.abc import Iterator

from hpc_components.catalog.autonaming import RANDOM_SUFFIX
from hpc_components.gcp.catalog.names import longest_name, wrong_name
from hpc_components.gcp.data_bucket.model import order_of
from hpc_components.gcp.data_bucket.offer import LIMITS, BucketOrder, refusals
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.surfaces import Surface, offer_rules
from hpc_components.wording import plural


def _orders(cluster: GcpClusterSpec) -> Iterator[tuple[BucketOrder, Surface]]:
    return (order_of(bucket, ("buckets", key), cluster) for key, bucket in cluster.buckets.items())


offer_rules(__name__, GcpClusterSpec, LIMITS, refusals, _orders)


@rule("HPC-GCS-001", Level.ERROR)
def bucket_name(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A bucket's name must be valid in Cloud Storage.

    The name must consist of 3 to 63 lower-case letters, digits, `-`, `_` and `.`, and begin and end with a letter or
    digit. It must not be an IP address, contain `google`, or begin with `goog`. Google treats a name with dots as a
    domain name and verifies that you own the domain, so such names lead only to a warning. Source: Cloud Storage
    documentation, "About Cloud Storage buckets", bucket names, and "Domain-named bucket verification".
    """
    for key, bucket in cluster.buckets.items():
        if bucket.name is not None and (wrong := wrong_name("bucket", bucket.name)):
            plain = re.sub(r"\.(?=[a-z0-9-]*[a-z])", "-", bucket.name)  # keep the dots in IP addresses
            domain = "." not in plain and plain != bucket.name and not wrong_name("bucket", plain)
            yield Problem(
                path=("buckets", key, "name"),
                value=bucket.name,
                reason=wrong[0],
                remedy=wrong[1],
                level=Level.WARNING if domain else None,
            )


@rule("HPC-GCS-002", Level.ERROR)
def default_bucket_name(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A bucket's default name must be valid in Cloud Storage.

    Without `name`, the bucket is called `<cluster>-<bucket>`, followed by Pulumi's random suffix. Source: Cloud
    Storage documentation, "About Cloud Storage buckets", bucket names.
    """
    for key, bucket in cluster.buckets.items():
        made = f"{cluster.name}-{key}"
        if bucket.name is not None:
            continue
        if (over := len(made + RANDOM_SUFFIX) - longest_name("bucket")) > 0:
            reason = f"the bucket's name, {made} with a random suffix, would be {plural(over, 'character')} too long"
            remedy = f"shorten the bucket or cluster name by {over}, or set the bucket's name key"
        elif (wrong := wrong_name("bucket", made)) and not wrong_name("bucket", f"{cluster.name}-data"):
            reason = f"the bucket's name would be {made} with a random suffix: {wrong[0]}"
            remedy = "rename the bucket, or set its name key"
        else:
            continue
        yield Problem(path=("buckets", key), reason=reason, remedy=remedy)


@rule("HPC-GCS-003", Level.INFO)
def available_bucket_name(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A bucket's name must not already be taken.

    Bucket names are globally unique, so another user may already have the name you choose. Default names have a
    random suffix. Source: Cloud Storage documentation, "About Cloud Storage buckets", bucket names.
    """
    for key, bucket in cluster.buckets.items():
        if bucket.name is not None and not wrong_name("bucket", bucket.name):
            yield Problem(
                path=("buckets", key, "name"),
                value=bucket.name,
                reason=f"if any other bucket in Cloud Storage is called {bucket.name}, this bucket can't be created",
                remedy=f"make sure that `gcloud storage buckets describe gs://{bucket.name}` finds no bucket, or "
                "remove name to get a name with a random suffix",
            )


@rule("HPC-GCS-006", Level.INFO)
def restorable_objects(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Objects that jobs can delete should be recoverable.

    Without versioning, deleted objects are lost, because the cluster's buckets don't use soft delete. Source: Cloud
    Storage documentation, "Soft delete".
    """
    for key, bucket in cluster.buckets.items():
        if not bucket.versioning and not bucket.folders and bucket.write_from != ():
            yield Problem(
                path=("buckets", key, "versioning"),
                value=False,
                reason="an object that a job deletes or overwrites can't be restored",
                remedy="remove `versioning: false` to keep old versions for 30 days, or set `write_from: []` if "
                "jobs only read",
            )
