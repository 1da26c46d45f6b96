"""Rules on home file systems: what Filestore sells, and what is no refusal."""

from collections.abc import Iterator

from hpc_components.gcp.home.model import Nfs, order_of
from hpc_components.gcp.home.offer import LIMITS, HomeOrder, limit, refusals
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._hosts import server_on_each_node
from hpc_components.spec.rules._stores import systems
from hpc_components.spec.surfaces import Surface, offer_rules
from hpc_components.wording import any_of


def _orders(cluster: GcpClusterSpec) -> Iterator[tuple[HomeOrder, Surface]]:
    return (order_of(nfs, path, cluster) for path, nfs in systems(cluster, Nfs))


offer_rules(__name__, GcpClusterSpec, LIMITS, refusals, _orders)


@rule("HPC-GFS-005", Level.WARNING)
def nodes_of_basic(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A basic Filestore instance serves few nodes.

    basic_hdd below 10 TiB reads 100 MiB/s for all of them together, and when a job starts all its nodes read programs
    from /home at once; no basic one takes more than 500 connections. 1 MiB/s for each node is our figure. Source:
    Filestore documentation, "Service tiers", basic HDD and basic SSD.
    """
    nodes, speed, clients = cluster.max_nodes, limit("basic_hdd_mibps"), limit("basic_clients")
    for path, nfs in systems(cluster, Nfs):
        small = nfs.size is not None and nfs.size.in_gib < limit("large_gib")
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
    for path, nfs in systems(cluster, Nfs):
        if nfs.tier == "regional":
            continue
        zone = nfs.zone or cluster.zone
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
    for path, nfs in systems(cluster, Nfs, new=False):
        if nfs.existing and (own := server_on_each_node((*path, "existing", "server"), nfs.existing.server)):
            yield own
