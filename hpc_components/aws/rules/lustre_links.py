"""Rules on Lustre file systems: links to buckets, and what the cluster makes of them."""

import re
from collections.abc import Iterator

from hpc_components.aws.catalog.bucket_names import bucket_of, wrong_bucket_name
from hpc_components.aws.catalog.lustre import is_link_path, link_paths_overlap
from hpc_components.aws.catalog.lustre_clients import lustre_client
from hpc_components.aws.rules._lustre_orders import refused
from hpc_components.aws.rules._stores import lustre_systems
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.aws.spec.storage import Bucket, DataAssociation, Lustre
from hpc_components.catalog import operating_system
from hpc_components.catalog.refusal import Why
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._systems import use_system


@rule("HPC-FSX-012", Level.ERROR)
def links_possible(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """scratch_1 has no links to buckets.

    FSx has another, older kind of link for it, which this project does not make. Source: FSx API reference,
    CreateDataRepositoryAssociation.
    """
    for path, lustre, _ in refused(cluster, "links", Why.NOT_TAKEN):
        yield Problem(
            path=(*path, "deployment"),
            value=lustre.deployment,
            reason=f"{lustre.deployment} can't be linked to buckets",
            remedy="use scratch_2, or leave import_from and associations out",
        )


@rule("HPC-FSX-013", Level.ERROR)
def links_count(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A Lustre file system has at most 8 links to buckets.

    Source: FSx API reference, CreateDataRepositoryAssociation.
    """
    for path, lustre, refusal in refused(cluster, "links", Why.NOT_SOLD):
        yield Problem(
            path=(*path, "associations"),
            value=len(lustre.links),
            reason=f"{len(lustre.links)} links are too many, FSx makes {refusal.allowed[-1]} for a file system",
            remedy="link a common prefix of several, or use a second file system",
        )


@rule("HPC-FSX-014", Level.ERROR)
def link_bucket(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A link names its bucket as `s3://bucket` or `s3://bucket/prefix`.

    Source: FSx API reference, CreateDataRepositoryAssociation, DataRepositoryPath; S3 user guide, bucket names.
    """
    for path, link in _links(cluster):
        where = (*path, "bucket") if path[-1] != "import_from" else path
        match = re.fullmatch(r"s3://([^/]*)(/.*)?", link.bucket)
        if match is None:
            name = re.sub(r"^(arn:aws[\w-]*:s3:::|\w+:/*)", "", link.bucket)
            yield Problem(
                path=where,
                value=link.bucket,
                reason=f"{link.bucket!r} is not like s3://bucket or s3://bucket/prefix",
                remedy=f"did you mean s3://{name}?",
            )
        elif wrong := wrong_bucket_name(match[1]):
            yield Problem(path=where, value=link.bucket, reason=wrong[0], remedy=wrong[1])


@rule("HPC-FSX-015", Level.ERROR)
def link_directories(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Linked directories begin with / and lie side by side.

    The whole file system (`import_from`, or path /) can be linked only alone. Source: FSx API reference,
    CreateDataRepositoryAssociation, FileSystemPath.
    """
    for path, lustre in lustre_systems(cluster):
        links = list(_links_of(path, lustre))
        for index, (where, link) in enumerate(links):
            if not is_link_path(link.path):
                yield Problem(
                    path=(*where, "path"),
                    value=link.path,
                    reason=f"{link.path!r} is no directory of the file system",
                    remedy=f"write it from its root: /{link.path.strip('/ ')}",
                )
            elif other := next((one for _, one in links[:index] if link_paths_overlap(one.path, link.path)), None):
                yield Problem(
                    path=(*where, "path") if link.path != "/" or "path" in link.model_fields_set else where,
                    value=link.path,
                    reason=f"{link.path} and {other.path}, linked to {other.bucket}, overlap",
                    remedy="link directories side by side: /data, /results",
                )


@rule("HPC-FSX-016", Level.ERROR)
def link_prefixes(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Each bucket or prefix is linked to one directory.

    A prefix inside another linked one is only warned about: both directories would show its objects, and write to
    them. Source: FSx API reference, CreateDataRepositoryAssociation.
    """
    seen: list[tuple[Path, str, str]] = []
    for path, link in _links(cluster):
        prefix = link.bucket.rstrip("/") + "/"
        for where, directory, other in seen:
            same_system, same = where[:2] == path[:2], prefix == other
            if not (prefix.startswith(other) or other.startswith(prefix)):
                continue
            yield Problem(
                path=(*path, "bucket") if path[-1] != "import_from" else path,
                value=link.bucket,
                reason=f"{link.bucket} is linked to {link.path}, and {other.rstrip('/')} to {directory}"
                + ("" if same_system else f" of {where[1]}"),
                remedy="link one of them only" if same else "use prefixes side by side",
                level=None if same and same_system else Level.WARNING,
            )
            break
        seen.append((path, link.path, prefix))


@rule("HPC-FSX-017", Level.WARNING)
def exported_deletion(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Deleting a file on Lustre does not delete the object in the bucket.

    With `deleted` in auto_export, a user's `rm -rf` deletes the data set in the bucket.
    """
    for path, link in _links(cluster):
        if "deleted" in link.auto_export:
            yield Problem(
                path=(*path, "auto_export", link.auto_export.index("deleted")),
                value="deleted",
                reason=f"deleting files under {link.path} deletes their objects in {link.bucket}",
                remedy="use auto_export: [new, changed], or make sure that the bucket keeps old versions",
            )


@rule("HPC-FSX-018", Level.INFO)
def scratch_is_scratch(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Scratch file systems have no replicas.

    When a server fails, the files on it are lost. Source: FSx for Lustre user guide, "Deployment options".
    """
    for path, lustre in lustre_systems(cluster):
        if lustre.deployment.startswith("scratch") and not any(link.auto_export for link in lustre.links):
            yield Problem(
                path=(*path, "deployment") if lustre.given("deployment") else path,
                value=lustre.deployment,
                reason="when a server fails, its files are lost, and no link exports them to a bucket",
                remedy="link a bucket (import_from, associations); for data that must last, use"
                " deployment: persistent_2 with throughput: 125",
            )


@rule("HPC-FSX-019", Level.INFO)
def lustre_across_zones(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Nodes are in the zone of a Lustre file system; from other zones access is slower, and traffic is billed.

    Source: EC2 pricing, data transfer between zones; FSx for Lustre user guide, "Accessing file systems".
    """
    if not any(lustre_systems(cluster, new=True)):
        return
    for index, queue in enumerate(cluster.queues):
        away = [zone for zone in queue.zones if zone != cluster.zone]
        if away:
            yield Problem(
                path=("queues", index, "zones", queue.zones.index(away[0])),
                value=away[0],
                reason=f"Lustre is in {cluster.zone}: traffic of nodes in {', '.join(away)} is billed per GB",
                remedy=f"run jobs with much data in {cluster.zone}",
            )


@rule("HPC-FSX-020", Level.WARNING)
def lustre_efa_used(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A Lustre file system with EFA has clients with EFA.

    FSx sells larger minimum sizes for it. Source: FSx for Lustre user guide, "EFA-enabled file systems".
    """
    if any(fabric_on(queue) for queue in cluster.queues):
        return
    for path, lustre in lustre_systems(cluster):
        if lustre.efa and lustre.deployment == "persistent_2":
            yield Problem(
                path=(*path, "efa"), value=True, reason="no queue has nodes with EFA", remedy="leave it out"
            )


@rule("HPC-FSX-021", Level.ERROR)
def client_of_os(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """AWS has a Lustre client for the operating system, or all nodes have custom images.

    The client is a kernel module, built for each kernel. Source: FSx for Lustre user guide, "Installing the Lustre
    client".
    """
    images = [cluster.head_node.image, *(queue.image for queue in cluster.queues)]
    images += [cluster.login_nodes.image] if cluster.login_nodes else []
    mounted = [store.mount for _, store in lustre_systems(cluster, new=False)]
    os = operating_system(cluster.os)
    if os is None or os.name != cluster.os or os.status == "retired":
        return
    if mounted and not all(images) and lustre_client(os.name) is None:
        yield Problem(
            path=("os",),
            value=cluster.os,
            reason=f"AWS publishes no Lustre client for {cluster.os}, so nodes can't mount {mounted[0]}",
            remedy=f"{use_system(cluster)}, or custom images with the client on all nodes",
        )


@rule("HPC-FSX-022", Level.ERROR)
def lustre_id(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Id, DNS name and mount name of an existing Lustre file system are well-formed.

    Source: FSx API reference, DescribeFileSystems.
    """
    for path, lustre in lustre_systems(cluster, new=False):
        if not lustre.existing:
            continue
        patterns = {"id": r"fs-[0-9a-f]{8,17}", "dns_name": r"[a-z0-9.-]+", "mount_name": r"[A-Za-z0-9_-]{1,8}"}
        likes = {"id": "fs-0123456789abcdef0", "dns_name": "fs-0123456789abcdef0.fsx.us-east-2.amazonaws.com"}
        for field, pattern in patterns.items():
            value = getattr(lustre.existing, field)
            if not re.fullmatch(pattern, value):
                yield Problem(
                    path=(*path, "existing", field),
                    value=value,
                    reason=f"{value!r} is not a valid {field} of a file system",
                    remedy=f"write it like {likes.get(field, 'fsx or 3pzlabmv, the name after @tcp:/')}",
                )


@rule("HPC-FSX-023", Level.WARNING)
def link_to_archive(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Linked buckets keep objects in storage classes that Lustre can read.

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
                path=(*path, "bucket") if path[-1] != "import_from" else path,
                value=link.bucket,
                reason=f"its objects move to {tier}, and files can't be read until their objects are restored",
                remedy="use glacier_ir for that bucket, which Lustre can read directly",
            )


def _links(cluster: AwsClusterSpec) -> Iterator[tuple[Path, DataAssociation]]:
    for path, lustre in lustre_systems(cluster):
        yield from _links_of(path, lustre)


def _links_of(path: Path, lustre: Lustre) -> Iterator[tuple[Path, DataAssociation]]:
    if lustre.import_from is not None:
        yield (*path, "import_from"), DataAssociation(bucket=lustre.import_from)
    for index, link in enumerate(lustre.associations):
        yield (*path, "associations", index), link
