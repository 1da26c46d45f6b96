from collections.abc import Iterator

from hpc_components.gcp.home.model import Nfs, order_of
from hpc_components.gcp.home.offer import LIMITS, HomeOrder, limit, refusals
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._hosts import server_on_each_node
from hpc_components.spec.stores import systems
from hpc_components.spec.surfaces import Surface, offer_rules
from hpc_components.wording import any_of


def _orders(cluster: GcpClusterSpec) -> Iterator[tuple[HomeOrder, Surface]]:
    return (order_of(nfs, path, cluster) for path, nfs in systems(cluster, Nfs))


offer_rules(__name__, GcpClusterSpec, LIMITS, refusals, _orders)


@rule("HPC-GFS-005", Level.WARNING)
def nodes_of_basic(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Use a basic Filestore instance only for a small number of nodes.

    Below 10 TiB, basic_hdd reads 100 MiB/s in total, and when a job starts, all its nodes read programs from /home at
    the same time. We estimate that each node needs 1 MiB/s. Basic tiers allow at most 500 connections.

    Source: Filestore documentation, "Service tiers", basic HDD and basic SSD.
    """
    nodes, speed, clients = cluster.max_nodes, limit("basic_hdd_mibps"), limit("basic_clients")
    for path, nfs in systems(cluster, Nfs):
        small = nfs.size is not None and nfs.size.in_gib < limit("large_gib")
        if nfs.tier == "basic_hdd" and small and nodes > speed:
            reason = f"a basic_hdd instance of this size reads {speed} MiB/s, shared by {nodes} nodes"
        elif nfs.tier in ("basic_hdd", "basic_ssd") and nodes > clients:
            reason = f"the basic tiers allow {clients} connections, and the cluster can have {nodes} nodes"
        else:
            continue
        yield Problem(
            path=(*path, "tier"),
            value=nfs.tier,
            reason=reason,
            remedy="use tier: zonal, and put files that many nodes read at the same time on Lustre",
        )


@rule("HPC-GFS-006", Level.INFO)
def nfs_across_zones(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Nodes should be in the same zone as a zonal Filestore instance.

    Access from another zone has higher latency, and is lost if the instance's zone fails. Source: Filestore
    documentation, "Service tiers", regional.
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
                reason=f"file system {path[1]} is in {zone}, but nodes may be in {any_of(away)}",
                remedy="use tier: regional to survive the failure of a zone",
            )


@rule("HPC-MNT-012", Level.ERROR)
def server_is_another(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The server of an existing export must not be a name for the node itself, such as `localhost`.

    Source: nfs(5).
    """
    for path, nfs in systems(cluster, Nfs, new=False):
        if nfs.existing and (own := server_on_each_node((*path, "existing", "server"), nfs.existing.server)):
            yield own
