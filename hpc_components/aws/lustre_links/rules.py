from collections.abc import Iterator

from hpc_components.aws.buckets.model import Bucket
from hpc_components.aws.catalog.bucket_names import bucket_of
from hpc_components.aws.lustre_links.model import DataAssociation, bucket_path, links_of, orders_of
from hpc_components.aws.lustre_links.offer import LIMITS, LinkOrder, refusals
from hpc_components.aws.rules._stores import lustre_systems
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.surfaces import Surface, offer_rules


def _links(cluster: AwsClusterSpec) -> Iterator[tuple[Path, DataAssociation]]:
    for path, lustre in lustre_systems(cluster):
        yield from links_of(lustre, path)


def _orders(cluster: AwsClusterSpec) -> Iterator[tuple[LinkOrder, Surface]]:
    for path, lustre in lustre_systems(cluster):
        yield from orders_of(lustre, path, cluster)


offer_rules(__name__, AwsClusterSpec, LIMITS, refusals, _orders)


@rule("HPC-FSX-016", Level.ERROR)
def link_prefixes(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Each bucket or prefix may be linked to only one directory.

    The rule only warns if one prefix contains another, or if the directories are in different file systems. Both
    directories would then show some of the same objects and export changes to them. Source: FSx API reference,
    CreateDataRepositoryAssociation.
    """
    seen: list[tuple[Path, str, str]] = []
    for path, link in _links(cluster):
        prefix = link.bucket.rstrip("/") + "/"
        for where, directory, other in seen:
            same_system, same = where[:2] == path[:2], prefix == other
            if not (prefix.startswith(other) or other.startswith(prefix)):
                continue
            yield Problem(
                path=bucket_path(path),
                value=link.bucket,
                reason=f"{link.bucket} is linked to {link.path}, but {other.rstrip('/')} is already linked to "
                f"{directory}" + ("" if same_system else f" of {where[1]}"),
                remedy="remove one of the two links" if same else "use prefixes that don't contain one another",
                level=None if same and same_system else Level.WARNING,
            )
            break
        seen.append((path, link.path, prefix))


@rule("HPC-FSX-017", Level.WARNING)
def exported_deletion(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Deleting a file on Lustre should not delete its object in the bucket.

    If `auto_export` includes `deleted`, a user's `rm -rf` also deletes the data set in the bucket.
    """
    for path, link in _links(cluster):
        if "deleted" in link.auto_export:
            yield Problem(
                path=(*path, "auto_export", link.auto_export.index("deleted")),
                value="deleted",
                reason=f"deleting files under {link.path} deletes their objects in {link.bucket}",
                remedy="use auto_export: [new, changed], or make sure that the bucket keeps old versions",
            )


@rule("HPC-FSX-023", Level.WARNING)
def link_to_archive(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Objects in linked buckets should stay in storage classes that Lustre can read.

    A file whose object is in Glacier or Deep Archive can't be loaded until the object is restored. Source: FSx for
    Lustre user guide, "Importing files from your data repository".
    """
    frozen = {
        bucket.name: min(cold)
        for bucket in cluster.buckets.values()
        if isinstance(bucket, Bucket) and bucket.name
        if (cold := [tier for tier in ("deep_archive", "glacier") if tier in bucket.archive])
    }
    for path, link in _links(cluster):
        if tier := frozen.get(bucket_of(link.bucket)):
            yield Problem(
                path=bucket_path(path),
                value=link.bucket,
                reason=f"the bucket's objects move to {tier}, and files can't be read until their objects are "
                "restored",
                remedy="archive the bucket's objects to glacier_ir, which Lustre can read directly",
            )
