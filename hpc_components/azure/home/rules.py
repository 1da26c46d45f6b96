import re
from collections.abc import Iterator

from hpc_components.azure.catalog.quotas import service_quota
from hpc_components.azure.home.model import Nfs, order_of
from hpc_components.azure.home.offer import LIMITS, HomeOrder, mibps, netapp_pool_tib, refusals, sizes
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._hosts import server_on_each_node
from hpc_components.spec.rules._quotas import QuotaSum, about_quota
from hpc_components.spec.stores import systems
from hpc_components.spec.surfaces import Surface, offer_rules

MIN_MIBPS_PER_NODE = 1
"""Minimum throughput per node, in MiB/s, when all nodes read at the same time. With less, a job takes minutes to
start."""

POOL_GIB = 1024
"""Size, in GiB, of the smallest NetApp Files capacity pool."""


def _orders(cluster: AzureClusterSpec) -> Iterator[tuple[HomeOrder, Surface]]:
    return (order_of(nfs, path, cluster) for path, nfs in systems(cluster, Nfs))


offer_rules(__name__, AzureClusterSpec, LIMITS, refusals, _orders)


@rule("HPC-NAF-006", Level.INFO)
def netapp_pool(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Choose a NetApp Files volume size in whole TiB, because its capacity pool is billed in whole TiB.

    Source: Azure NetApp Files documentation, "Resource limits"; Azure NetApp Files pricing.
    """
    for path, nfs in systems(cluster, Nfs):
        gib = nfs.size.in_gib if nfs.size else 0
        if nfs.service == "netapp" and gib in sizes("netapp") and gib % POOL_GIB:
            pool = -(-int(gib) // POOL_GIB)
            yield Problem(
                path=(*path, "size"),
                value=str(nfs.size),
                reason=f"the volume is created in a pool of {pool} TiB, and Azure charges for the whole pool",
                remedy=f"use {pool}TiB"
                + ("" if gib > POOL_GIB else ", or use Azure Files (service: files) for a small file system"),
            )


@rule("HPC-NAF-007", Level.WARNING)
def nfs_throughput(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An NFS file system should provide at least 1 MiB/s per node.

    When a job starts, all its nodes read programs from /home at the same time. The figure is our own estimate.
    Source: Azure Files documentation, "Understand Azure Files billing", provisioned v1; Azure NetApp Files
    documentation, "Service levels".
    """
    nodes = cluster.max_nodes
    for path, nfs in systems(cluster, Nfs):
        gib = nfs.size.in_gib if nfs.size else 0
        if gib not in sizes(nfs.service):
            continue
        wanted, least = nodes * MIN_MIBPS_PER_NODE, sizes(nfs.service)[0]
        if mibps(nfs.service, gib, nfs.level) < wanted:
            larger = (size for size in range(1024, 100 * 1024 + 1, 1024) if size > max(gib, least))
            fits = next((size for size in larger if mibps(nfs.service, size, nfs.level) >= wanted), None)
            yield Problem(
                path=(*path, "size"),
                value=str(nfs.size),
                reason=f"with a size of {nfs.size}, the file system provides only "
                f"{mibps(nfs.service, gib, nfs.level):.0f} MiB/s for {nodes} nodes",
                remedy=f"use {fits // 1024}TiB, which provides {mibps(nfs.service, fits, nfs.level):.0f} MiB/s"
                if fits
                else "use Lustre for files that many nodes read at the same time",
            )


@rule("HPC-NAF-008", Level.INFO)
def files_endpoint(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """In an existing network, the nodes' subnets must have a service endpoint for Azure Files.

    The share allows access only from these subnets, and recognizes them by the endpoint. Source: Azure Files
    documentation, "NFS file shares", security and networking.
    """
    existing = cluster.network.existing
    for path, nfs in systems(cluster, Nfs):
        if existing is not None and nfs.service == "files":
            yield Problem(
                path=path,
                reason="the nodes can't access the share unless their subnets have the service endpoint "
                "Microsoft.Storage, and the description does not show whether this endpoint exists",
                remedy="add the endpoint where it is missing: az network vnet subnet update --ids "
                f"{existing.places['nodes'].id} --service-endpoints Microsoft.Storage"
                if "nodes" in existing.places
                else "add the endpoint where it is missing",
            )
            return


@rule("HPC-NAF-010", Level.INFO)
def share_without_snapshots(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Take snapshots of an Azure Files share yourself, because Azure takes none.

    Azure can restore a deleted share but not a deleted file. It keeps at most 200 snapshots per share. Source:
    azure-docs, articles/backup/azure-file-share-support-matrix.md (2026-02-17); Azure Files documentation, "Overview
    of share snapshots": NFS shares support snapshots taken manually or by a script.
    """
    for path, nfs in systems(cluster, Nfs):
        if nfs.service == "files":
            yield Problem(
                path=path,
                reason="Azure Files takes no automatic snapshots of NFS shares, so a deleted or overwritten file is "
                "lost",
                remedy="use NetApp Files (service: netapp), which takes daily snapshots, or take snapshots on a "
                "schedule (at most 200 per share): az storage share-rm snapshot --name data "
                "--storage-account ...",
            )


@rule("HPC-QTA-009", Level.WARNING)
def netapp_capacity(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The quota for NetApp Files should be large enough for the cluster's capacity pools.

    Source: Azure NetApp Files documentation, "Resource limits", regional capacity quota.
    """
    need = QuotaSum(service_quota("netapp.capacity"))
    for path, nfs in systems(cluster, Nfs):
        if nfs.service == "netapp" and nfs.size:
            need.parts.append((netapp_pool_tib(nfs.size.in_gib), str(path[1]), (*path, "size")))
    allowed = need.quota.default
    if need.parts and allowed is not None and need.total > allowed:
        yield Problem(
            path=need.path,
            value=need.total,
            reason=f"{need.text}: {need.total} TiB of NetApp Files, but a new subscription is limited to {allowed} "
            "TiB",
            remedy=f"request a quota of {need.total} TiB ({need.quota.code}) in {cluster.region}",
            about=about_quota(need.quota, cluster.region),
        )


@rule("HPC-MNT-010", Level.ERROR)
def nfs_server(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An existing export's server must be another host; an Azure Files path must begin with the account name.

    Azure Files exports `/<account>/<share>`. Source: Azure Files documentation, "Mount an NFS Azure file share on
    Linux".
    """
    for path, nfs in systems(cluster, Nfs, new=False):
        if nfs.existing is None:
            continue
        server, export = nfs.existing.server, nfs.existing.export
        if own := server_on_each_node((*path, "existing", "server"), server):
            yield own
        elif wrong := _wrong_export(server, export):
            yield Problem(path=(*path, "existing", "export"), value=export, reason=wrong[0], remedy=wrong[1])


def _wrong_export(server: str, export: str) -> tuple[str, str] | None:
    """Return a reason and a remedy if `server` is an Azure Files host and `export` can't be one of its shares;
    otherwise None.
    """
    host = re.fullmatch(
        r"([a-z0-9]+)\.(?:privatelink\.)?file\.core\.(?:windows|usgovcloudapi|chinacloudapi)\.\w+", server
    )
    if host is None or re.fullmatch(rf"/{host[1]}/[^/]+(/.*)?", export):
        return None
    share = export.strip("/").rpartition("/")[2]
    return (
        f"Azure Files exports /{host[1]}/<share>, not {export}",
        f"write /{host[1]}/{share}" if share else f"write /{host[1]}/<share>",
    )
