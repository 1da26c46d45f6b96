"""Rules on NFS file systems, Filestore."""

from collections.abc import Iterator

from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.gcp.catalog.filestore import FilestoreOrder, filestore_refusals, filestore_tier
from hpc_components.gcp.catalog.limits import service_limit
from hpc_components.gcp.rules._stores import nfs_systems, store_zone
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.gcp.spec.storage import Nfs
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._hosts import lustre_servers, server_on_each_node
from hpc_components.wording import any_of

__all__: list[str] = []


@rule("HPC-GFS-001", Level.ERROR)
def nfs_has_size(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A Filestore instance that is to be made has a size.

    Source: Filestore documentation, "Service tiers".
    """
    for path, nfs, refusal in _refused(cluster, "size_gib", Why.MISSING):
        yield Problem(
            path=path,
            reason="it has neither size nor existing",
            remedy=f"add size: {refusal.allowed[0]}GiB or more (tier {nfs.tier}); or existing",
        )


@rule("HPC-GFS-002", Level.ERROR)
def nfs_size(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The size of a Filestore instance is one that its tier comes in.

    zonal: 1 TiB to 9.75 TiB in steps of 256 GiB, 10 TiB to 100 TiB in steps of 2.5 TiB; regional: from 100 GiB;
    basic_hdd: 1 TiB to 63.9 TiB; basic_ssd: from 2.5 TiB. Where sources disagree about a step, it is only warned
    about. Source: Filestore documentation, "Service tiers".
    """
    for path, nfs, refusal in _refused(cluster, "size_gib", Why.NOT_SOLD):
        tier, size = filestore_tier(nfs.tier), nfs.size
        if tier is None or size is None:
            continue
        least, most = tier.ranges[0][0], tier.ranges[-1][1]
        inside = least <= size.in_gib <= most
        yield Problem(
            path=(*path, "size"),
            value=str(size),
            reason=f"Filestore {nfs.tier} has {least:,} to {most:,} GiB"
            + (f" in steps, and {size.in_gib:,.10g} GiB is between two" if inside else f", not {size.in_gib:,.10g}"),
            remedy=f"use {any_of(f'{gib}GiB' for gib in refusal.allowed)}"
            + (", or tier: regional" if size.in_gib < least and nfs.tier != "regional" else ""),
            level=Level.WARNING if inside and "ranges" in tier.unsure else None,
        )


@rule("HPC-GFS-003", Level.ERROR)
def zone_of_regional(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A regional Filestore instance is in no zone.

    It is in all of them. Source: Filestore documentation, "Service tiers", regional.
    """
    for path, nfs, _ in _refused(cluster, "zone"):
        yield Problem(
            path=(*path, "zone"),
            value=nfs.zone,
            reason=f"tier {nfs.tier} is in all zones of {cluster.region}",
            remedy="remove zone, or use tier: zonal",
        )


@rule("HPC-GFS-004", Level.ERROR)
def key_of_tier(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A key of your own encrypts zonal and regional Filestore instances only.

    Source: Filestore documentation, "Encrypt data with customer-managed encryption keys".
    """
    for path, nfs, refusal in _refused(cluster, "kms_key"):
        yield Problem(
            path=(*path, "kms_key"),
            value=nfs.kms_key,
            reason=f"tier {nfs.tier} takes no key of yours",
            remedy=f"use tier: {any_of(map(str, refusal.allowed))}, or remove kms_key",
        )


@rule("HPC-GFS-005", Level.WARNING)
def nodes_of_basic(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A basic Filestore instance serves few nodes.

    basic_hdd below 10 TiB reads 100 MiB/s for all of them together, and when a job starts all its nodes read programs
    from /home at once; no basic one takes more than 500 connections. 1 MiB/s for each node is our figure. Source:
    Filestore documentation, "Service tiers", basic HDD and basic SSD.
    """
    nodes, large = cluster.max_nodes, service_limit("filestore.large_gib")
    speed, clients = service_limit("filestore.basic_hdd_mibps"), service_limit("filestore.basic_clients")
    for path, nfs in nfs_systems(cluster):
        small = nfs.size is not None and nfs.size.in_gib < large
        if nfs.tier == "basic_hdd" and small and nodes > speed:
            reason = f"it reads {speed} MiB/s for {nodes} nodes together"
        elif nfs.tier in ("basic_hdd", "basic_ssd") and nodes > clients:
            reason = f"it takes {clients} connections, and there may be {nodes} nodes"
        else:
            continue
        yield Problem(
            path=(*path, "tier"),
            value=nfs.tier,
            reason=reason,
            remedy="use tier: zonal, and keep what many nodes read at once on Lustre",
        )


@rule("HPC-GFS-006", Level.INFO)
def nfs_across_zones(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Nodes in other zones than a zonal Filestore instance have a longer way to it, and lose it with its zone.

    Source: Filestore documentation, "Service tiers", regional.
    """
    for path, nfs in nfs_systems(cluster):
        if nfs.tier == "regional":
            continue
        zone = store_zone(cluster, nfs)
        away = [other for other in cluster.zones if other != zone]
        if away:
            yield Problem(
                path=(*path, "tier"),
                value=nfs.tier,
                reason=f"{path[1]} is in {zone}, and nodes may be in {any_of(away)}",
                remedy="use tier: regional to go on when a zone fails",
            )


@rule("HPC-MNT-012", Level.ERROR)
def server_is_another(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The server of an existing export is another host than the node.

    Source: nfs(5).
    """
    for path, nfs in nfs_systems(cluster, new=False):
        if nfs.existing and (own := server_on_each_node((*path, "existing", "server"), nfs.existing.server)):
            yield own


@rule("HPC-MNT-013", Level.ERROR)
def lustre_server(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """An existing Lustre file system is named by both halves of its mount point, server and name.

    Both become `server@tcp:/name` in fstab. Source: Managed Lustre documentation, "Connect from Compute Engine";
    Lustre manual, mount.lustre: a name has at most eight characters.
    """
    yield from lustre_servers(cluster, "write what follows @tcp:/ in its mount point: gcloud lustre instances list")


def _refused(cluster: GcpClusterSpec, field: str, *whys: Why) -> Iterator[tuple[Path, Nfs, Refusal]]:
    """What Google would refuse in a field of the file systems that the cluster makes, for any or some reasons."""
    for path, nfs in nfs_systems(cluster):
        order = FilestoreOrder(
            tier=nfs.tier,
            size_gib=None if nfs.size is None else nfs.size.in_gib,
            zone=nfs.zone,
            kms_key=nfs.kms_key,
        )
        for refusal in filestore_refusals(order):
            if refusal.field == field and (not whys or refusal.why in whys):
                yield path, nfs, refusal
