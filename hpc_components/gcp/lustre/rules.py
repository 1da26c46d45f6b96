from collections.abc import Iterator
from itertools import combinations

from hpc_components.catalog import zones
from hpc_components.gcp.catalog.gcs_urls import gcs_url, wrong_gcs_url
from hpc_components.gcp.lustre.model import Lustre, order_of
from hpc_components.gcp.lustre.offer import (
    LIMITS,
    LustreOrder,
    growth_limit_gib,
    is_sold,
    limit,
    nearest_sizes,
    refusals,
    tier_of,
)
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._hosts import lustre_servers
from hpc_components.spec.stores import systems
from hpc_components.spec.surfaces import Surface, offer_rules
from hpc_components.wording import any_of


def _orders(cluster: GcpClusterSpec) -> Iterator[tuple[LustreOrder, Surface]]:
    return (order_of(lustre, path, cluster) for path, lustre in systems(cluster, Lustre))


offer_rules(__name__, GcpClusterSpec, LIMITS, refusals, _orders)


@rule("HPC-GML-004", Level.INFO)
def lustre_grows(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Give a new Lustre file system enough initial capacity to grow later.

    A file system with an initial capacity within the tier's threshold (1,530,000 GiB at 1000 MB/s per TiB) can never
    grow beyond that threshold. Source: Managed Lustre documentation, "Increase capacity".
    """
    for path, lustre in systems(cluster, Lustre):
        tier, size = tier_of(lustre.throughput), lustre.size
        most = growth_limit_gib(tier, size.in_gib) if tier and size else None
        if tier and size and most and most < tier.max_gib and size.in_gib > most / 2:
            yield Problem(
                path=(*path, "size"),
                value=str(size),
                reason=f"a file system created with up to {most:,} GiB can never grow beyond that",
                remedy=f"use {nearest_sizes(tier, most + 1)[-1]}GiB if the file system may need to grow further",
            )


@rule("HPC-GML-005", Level.INFO)
def lustre_across_zones(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Nodes should be in the same zone as a Lustre file system.

    Access from another zone has higher latency, the traffic is billed, and the nodes depend on both zones. Source:
    Managed Lustre documentation, "Managed Lustre overview", zonal; VPC pricing, traffic between zones.
    """
    for path, lustre in systems(cluster, Lustre):
        zone = lustre.zone or cluster.zone
        for index, queue in enumerate(cluster.queues):
            away = [other for other in cluster.queue_zones(queue) if other != zone]
            if away:
                listed = bool(queue.zones)
                yield Problem(
                    path=("queues", index, "zones", queue.zones.index(away[0])) if listed else (*path, "zone"),
                    value=away[0] if listed else zone,
                    reason=f"file system {path[1]} is in {zone}, but nodes of queue {queue.name} may be in "
                    f"{any_of(away)}",
                    remedy=f"run data-intensive jobs in {zone}",
                )


@rule("HPC-GML-013", Level.WARNING)
def lustre_sold_here(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A Lustre file system must be in a zone where Managed Lustre is available.

    Managed Lustre is available only in some zones of each region. If our list for the region may be incomplete, the
    finding is only informational. Source: Managed Lustre documentation, "Supported regions and zones".
    """
    for path, lustre in systems(cluster, Lustre):
        zone = lustre.zone or cluster.zone
        sold = is_sold(zone)
        if sold or zone not in zones("gcp", cluster.region):
            continue
        yield Problem(
            path=(*path, "zone") if lustre.zone else path,
            value=lustre.zone,
            reason=f"{zone} is not in Google's list of zones with Managed Lustre"
            if sold is False
            else f"the catalogue has no information on whether Managed Lustre is available in {zone}",
            remedy="look for the zone in https://docs.cloud.google.com/managed-lustre/docs/locations, or in the "
            f"output of `gcloud lustre locations list --project {cluster.project}`",
            level=None if sold is False else Level.INFO,
        )


@rule("HPC-MNT-013", Level.ERROR)
def lustre_server(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """An existing Lustre file system must have a valid server and name, the two parts of its mount point.

    In fstab, the two parts are combined as `server@tcp:/name`. Source: Managed Lustre documentation, "Connect from
    Compute Engine"; Lustre manual, mount.lustre: a name has at most eight characters.
    """
    yield from lustre_servers(
        cluster,
        "specify the part after @tcp:/ in the file system's mount point, which you can look up with: gcloud "
        "lustre instances list",
    )


@rule("HPC-GML-006", Level.ERROR)
def lustre_buckets(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Specify the buckets that Lustre imports from and exports to as `gs://<bucket>/<prefix>`.

    Source: Managed Lustre documentation, "Transfer data to or from Cloud Storage".
    """
    for path, lustre in systems(cluster, Lustre):
        for field, url in (("import_from", lustre.import_from), ("export_to", lustre.export_to)):
            if url is not None and (wrong := wrong_gcs_url(url)):
                yield Problem(path=(*path, field), value=url, reason=wrong[0], remedy=wrong[1])


@rule("HPC-GML-007", Level.WARNING)
def import_of_nothing(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Import into Lustre from an existing bucket, not from one that is created with the cluster.

    Objects are imported only once, when the head node first mounts the file system, and a new bucket is still empty
    at that time. Source: Managed Lustre documentation, "Transfer data to or from Cloud Storage".
    """
    ours = {bucket.name: key for key, bucket in cluster.buckets.items() if bucket.name}
    for path, lustre in systems(cluster, Lustre):
        url = gcs_url(lustre.import_from) if lustre.import_from else None
        if url is not None and url.bucket in ours:
            yield Problem(
                path=(*path, "import_from"),
                value=lustre.import_from,
                reason=f"buckets.{ours[url.bucket]} is created with the cluster, so it is still empty at the time of "
                "the import",
                remedy="use an existing bucket, or remove import_from and copy the files with gcloud storage cp",
            )


@rule("HPC-GML-008", Level.WARNING)
def exported_to_one_place(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """No two file systems may export to the same objects.

    Otherwise, files with the same name would overwrite each other every day. Source: Managed Lustre documentation,
    "Transfer data to or from Cloud Storage".
    """
    exports = [
        (path, url)
        for path, lustre in systems(cluster, Lustre)
        if lustre.export_to and (url := gcs_url(lustre.export_to))
    ]
    for (first, one), (path, other) in combinations(exports, 2):
        if one.overlaps(other):
            yield Problem(
                path=(*path, "export_to"),
                value=str(other),
                reason=f"storage.{first[1]} also exports to {one}, so files with the same name would overwrite each "
                "other",
                remedy=f"use a separate prefix for each, such as gs://{one.bucket}/{first[1]} and "
                f"gs://{one.bucket}/{path[1]}",
            )


@rule("HPC-GML-009", Level.INFO)
def unchecked_buckets(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A bucket that Lustre imports from or exports to must exist, and should be in the cluster's region.

    Transfers between regions are slow, and their traffic is billed. Source: Managed Lustre documentation, "Transfer
    data to or from Cloud Storage"; Cloud Storage pricing, data transfer.
    """
    ours = {bucket.name for bucket in cluster.buckets.values()}
    seen: set[str] = set()
    for path, lustre in systems(cluster, Lustre):
        for field, text in (("import_from", lustre.import_from), ("export_to", lustre.export_to)):
            url = gcs_url(text) if text else None
            if url is None or url.bucket in ours or url.bucket in seen:
                continue
            seen.add(url.bucket)
            yield Problem(
                path=(*path, field),
                value=text,
                reason=f"the description alone doesn't show whether bucket {url.bucket} exists and is in "
                f"{cluster.region}",
                remedy=f"check the bucket's location: gcloud storage buckets describe gs://{url.bucket} --format "
                "'value(location)'",
            )


@rule("HPC-QTA-013", Level.WARNING)
def lustre_of_a_project(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The Lustre file systems must fit in the project's quota, and each must be able to serve all nodes.

    Source: Managed Lustre documentation, "Quotas and limits": 20 instances, 20,000 clients per instance.
    """
    paths = [path for path, _ in systems(cluster, Lustre)]
    most, clients = limit("instances"), limit("clients")
    if len(paths) > most:
        yield Problem(
            path=("storage",),
            value=len(paths),
            reason=f"a project can have at most {most} Lustre file systems, and the cluster has {len(paths)}",
            remedy=f"use at most {most} Lustre file systems",
            about={"service": "lustre", "quota": "instances"},
        )
    if paths and cluster.max_nodes > clients:
        yield Problem(
            path=paths[0],
            reason=f"{cluster.max_nodes:,} nodes would mount the file system, but it serves at most {clients:,} "
            "clients",
            remedy="lower the queues' max, or use several clusters, each with its own file system",
            about={"service": "lustre", "quota": "clients"},
        )
