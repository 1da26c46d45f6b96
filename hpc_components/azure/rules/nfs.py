"""Rules on NFS file systems: Azure Files and NetApp Files."""

from collections.abc import Iterator

from hpc_components.azure.catalog.networks import subnet_need
from hpc_components.azure.catalog.nfs import NfsOrder, nfs_mibps, nfs_refusals, nfs_sizes, wrong_files_export
from hpc_components.azure.rules._stores import nfs_systems
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.storage import Nfs
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._hosts import lustre_servers, server_on_each_node
from hpc_components.spec.rules._sizes import not_whole_gib
from hpc_components.spec.values import Duration

__all__: list[str] = []

SERVICES = {"files": "Azure Files", "netapp": "NetApp Files"}

LEAST_PER_NODE = 1
"""MiB/s of a home file system for each node when all of them read at once; below, a job's start takes minutes."""

KEPT = {"snapshot_days": "snapshots", "deleted_share_days": "deleted_share_retention"}
"""Keys by the fields of an order."""

POOL_GIB = 1024
"""The smallest capacity pool of NetApp Files, which is what is paid for."""


@rule("HPC-NAF-001", Level.ERROR)
def nfs_has_size(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A share or volume for NFS that is to be made has a size.

    Source: Azure Files documentation, "Understand Azure Files billing", provisioned; Azure NetApp Files
    documentation, "Resource limits".
    """
    for path, nfs, refusal in _refused(cluster, "size_gib", Why.MISSING):
        yield Problem(
            path=path,
            reason="it has neither size nor existing",
            remedy=f"add size: 1TiB ({SERVICES[nfs.service]} sells {refusal.allowed[0]}GiB and more); or existing",
        )


@rule("HPC-NAF-002", Level.ERROR)
def nfs_size(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An NFS file system has a size that its service sells, in whole GiB.

    Azure Files: 100 GiB to 100 TiB; NetApp Files: 50 GiB to 100 TiB. Source: Azure Files documentation, "Scalability
    and performance targets"; Azure NetApp Files documentation, "Resource limits".
    """
    for path, nfs, refusal in _refused(cluster, "size_gib", Why.NOT_SOLD):
        assert nfs.size is not None
        gib, least, most = nfs.size.in_gib, int(refusal.allowed[0]), int(refusal.allowed[-1])
        if least <= gib <= most:
            reason, remedy = not_whole_gib(nfs.size, "Azure")
        else:
            reason = f"{SERVICES[nfs.service]} has {least} GiB to {most // 1024} TiB"
            remedy = f"use {f'{least}GiB' if gib < least else f'{most // 1024}TiB'}"
        yield Problem(path=(*path, "size"), value=str(nfs.size), reason=reason, remedy=remedy)


@rule("HPC-NAF-003", Level.ERROR)
def nfs_level(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """`level` is for NetApp Files.

    Source: Azure NetApp Files documentation, "Service levels".
    """
    for path, nfs, _ in _refused(cluster, "level"):
        yield Problem(
            path=(*path, "level"),
            value=nfs.level,
            reason=f"{SERVICES[nfs.service]} has no service levels: its speed follows from its size",
            remedy="remove it, or use service: netapp",
        )


@rule("HPC-NAF-004", Level.ERROR)
def nfs_snapshots(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Snapshots and deleted shares are kept for whole days: by NetApp Files up to 255, by Azure Files up to 365.

    Source: Azure NetApp Files documentation, "Resource limits"; Azure Files documentation, "Accidental delete
    protection with soft delete".
    """
    for field, key in KEPT.items():
        for path, nfs, refusal in _refused(cluster, field, Why.NOT_SOLD):
            kept = getattr(nfs, key)
            least, most = int(refusal.allowed[0]), int(refusal.allowed[-1])
            days = max(least, min(most, round(kept.days)))
            yield Problem(
                path=(*path, key),
                value=str(kept),
                reason=f"{SERVICES[nfs.service]} keeps them for {least} to {most} whole days, not for {kept}",
                remedy=f"use {days}d, or null for none",
            )


@rule("HPC-NAF-009", Level.ERROR)
def nfs_kept_by_service(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """`snapshots` is for NetApp Files, and `deleted_share_retention` for Azure Files.

    Azure Backup makes no snapshots of NFS shares, so `snapshots` on a share would promise files that can't be
    restored. Source: azure-docs, articles/backup/azure-file-share-support-matrix.md (2026-02-17): "Azure Backup
    currently doesn't support file shares with the NFS (Network File System) protocol"; Azure Files documentation,
    "Accidental delete protection with soft delete": of file shares only.
    """
    for path, nfs, _ in _refused(cluster, "snapshot_days", Why.NOT_TAKEN):
        yield Problem(
            path=(*path, "snapshots"),
            value=str(nfs.snapshots),
            reason="Azure makes no daily snapshots of an NFS share: a deleted file could not be restored",
            remedy="use service: netapp; or remove it (deleted_share_retention keeps a share that was deleted whole)",
        )
    for path, nfs, _ in _refused(cluster, "deleted_share_days", Why.NOT_TAKEN):
        yield Problem(
            path=(*path, "deleted_share_retention"),
            value=str(nfs.deleted_share_retention),
            reason="NetApp Files keeps no deleted volumes",
            remedy="remove it; snapshots keeps daily snapshots of the volume",
        )


@rule("HPC-NAF-010", Level.INFO)
def share_without_snapshots(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A share of Azure Files has no snapshots unless an administrator takes them.

    Azure keeps a deleted share, not a deleted file, and at most 200 snapshots of a share. Source: azure-docs,
    articles/backup/azure-file-share-support-matrix.md (2026-02-17); Azure Files documentation, "Overview of share
    snapshots": NFS shares have them, taken by hand or by a script.
    """
    for path, nfs in nfs_systems(cluster):
        if nfs.service == "files":
            yield Problem(
                path=path,
                reason="Azure Files makes no snapshots of NFS shares: a deleted or overwritten file is lost",
                remedy="use service: netapp, which has daily ones; or take snapshots on a schedule, at most 200:"
                " az storage share-rm snapshot --name data --storage-account ...",
            )


@rule("HPC-NAF-005", Level.ERROR)
def netapp_subnet(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An existing network has a delegated subnet for NetApp Files, of a /28 at least.

    Source: Azure NetApp Files documentation, "Delegate a subnet" and "Guidelines for network planning".
    """
    existing, need = cluster.network.existing, subnet_need("netapp")
    if existing is None or need is None:
        return
    for path, nfs in nfs_systems(cluster):
        if nfs.service == "netapp" and existing.netapp is None:
            yield Problem(
                path=(*path, "service"),
                value="netapp",
                reason="network.existing has no subnet for NetApp Files",
                remedy=f"add network.existing.netapp: {{id: {existing.vnet}/subnets/..., cidr: ...}}, delegated to"
                f" {need.delegation}; or use service: files",
            )
    for _, _, refusal in _refused(cluster, "subnet_prefix"):
        if existing.netapp is not None:
            yield Problem(
                path=("network", "existing", "netapp", "cidr"),
                value=str(existing.netapp.cidr),
                reason="NetApp Files takes no smaller subnet than a /28",
                remedy=f"use a subnet of at least a /{refusal.allowed[0]}",
            )
            return


@rule("HPC-NAF-006", Level.INFO)
def netapp_pool(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A volume of NetApp Files fills its capacity pool, which has whole TiB and is what is paid for.

    Source: Azure NetApp Files documentation, "Resource limits", and its pricing.
    """
    for path, nfs in nfs_systems(cluster):
        gib = nfs.size.in_gib if nfs.size else 0
        if nfs.service == "netapp" and gib in nfs_sizes("netapp") and gib % POOL_GIB:
            pool = -(-int(gib) // POOL_GIB)
            yield Problem(
                path=(*path, "size"),
                value=str(nfs.size),
                reason=f"it is made in a pool of {pool} TiB, all of which is paid for",
                remedy=f"use {pool}TiB" + ("" if gib > POOL_GIB else ", or service: files for a small one"),
            )


@rule("HPC-NAF-007", Level.WARNING)
def nfs_throughput(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An NFS file system has at least 1 MiB/s for each node.

    When a job starts, all its nodes read programs from /home at once. The figure is ours. Source: Azure Files
    documentation, "Understand Azure Files billing", provisioned v1; Azure NetApp Files documentation, "Service
    levels".
    """
    nodes = cluster.max_nodes
    for path, nfs in nfs_systems(cluster):
        gib = nfs.size.in_gib if nfs.size else 0
        if gib not in nfs_sizes(nfs.service):
            continue
        wanted, least = nodes * LEAST_PER_NODE, nfs_sizes(nfs.service)[0]
        if nfs_mibps(nfs.service, gib, nfs.level) < wanted:
            larger = (size for size in range(1024, 100 * 1024 + 1, 1024) if size > max(gib, least))
            fits = next((size for size in larger if nfs_mibps(nfs.service, size, nfs.level) >= wanted), None)
            yield Problem(
                path=(*path, "size"),
                value=str(nfs.size),
                reason=f"with {nfs.size} it has {nfs_mibps(nfs.service, gib, nfs.level):.0f} MiB/s for {nodes} nodes",
                remedy=f"use {fits // 1024}TiB, which has {nfs_mibps(nfs.service, fits, nfs.level):.0f} MiB/s"
                if fits
                else "keep what many nodes read at once on Lustre",
            )


@rule("HPC-NAF-008", Level.INFO)
def files_endpoint(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """In an existing network, subnets of nodes have a service endpoint for Azure Files.

    A share lets in these subnets alone, and knows them by it. Source: Azure Files documentation, "NFS file shares",
    security and networking.
    """
    existing = cluster.network.existing
    for path, nfs in nfs_systems(cluster):
        if existing is not None and nfs.service == "files":
            yield Problem(
                path=path,
                reason="it can't be seen from here whether the nodes' subnets have the service endpoint"
                " Microsoft.Storage, by which the share knows them",
                remedy=f"add it where it is missing: az network vnet subnet update --ids"
                f" {existing.places['nodes'].id} --service-endpoints Microsoft.Storage"
                if "nodes" in existing.places
                else "add it where it is missing",
            )
            return


@rule("HPC-MNT-010", Level.ERROR)
def nfs_server(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The server of an existing export is another host, and a share of Azure Files is named with its account.

    Azure Files exports `/<account>/<share>`. Source: Azure Files documentation, "Mount an NFS Azure file share on
    Linux".
    """
    for path, nfs in nfs_systems(cluster, new=False):
        if nfs.existing is None:
            continue
        server, export = nfs.existing.server, nfs.existing.export
        if own := server_on_each_node((*path, "existing", "server"), server):
            yield own
        elif wrong := wrong_files_export(server, export):
            yield Problem(path=(*path, "existing", "export"), value=export, reason=wrong[0], remedy=wrong[1])


@rule("HPC-MNT-011", Level.ERROR)
def lustre_server(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An existing Lustre file system is named by the address of its management server, and its name.

    Both become `server@tcp:/name` in fstab. Source: Azure Managed Lustre documentation, "Connect clients"; Lustre
    manual, mount.lustre: a name has at most eight characters.
    """
    yield from lustre_servers(cluster, "remove it: Azure's are all called lustrefs; or write what follows @tcp:/")


def _written_days(nfs: Nfs, key: str) -> float | None:
    """The days that the user wrote under `key`: its default holds for one of the services only."""
    kept: Duration | None = getattr(nfs, key) if nfs.given(key) else None
    return None if kept is None else kept.days


def _refused(cluster: AzureClusterSpec, field: str, *whys: Why) -> Iterator[tuple[Path, Nfs, Refusal]]:
    """What Azure would refuse in a field of the file systems that the cluster makes, for any or some reasons."""
    existing = cluster.network.existing
    prefix = existing.netapp.cidr.prefixlen if existing and existing.netapp else None
    for path, nfs in nfs_systems(cluster):
        order = NfsOrder(
            service=nfs.service,
            size_gib=None if nfs.size is None else nfs.size.in_gib,
            level=nfs.level,
            snapshot_days=_written_days(nfs, "snapshots"),
            deleted_share_days=_written_days(nfs, "deleted_share_retention"),
            subnet_prefix=prefix,
        )
        for refusal in nfs_refusals(order):
            if refusal.field == field and (not whys or refusal.why in whys):
                yield path, nfs, refusal
