from collections.abc import Iterator

from hpc_components.gcp.disks.model import order_of
from hpc_components.gcp.disks.offer import LIMITS, DiskOrder, refusals
from hpc_components.gcp.rules._disks import disks
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.surfaces import Surface, offer_rules


def _orders(cluster: GcpClusterSpec) -> Iterator[tuple[DiskOrder, Surface]]:
    for use in disks(cluster):
        yield order_of(use.disk, use.path, cluster, root=use.root, machines=use.machines)


offer_rules(__name__, GcpClusterSpec, LIMITS, refusals, _orders)


@rule("HPC-GDK-007", Level.WARNING)
def state_on_ssd(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The head node's state should be on a fast disk: pd-balanced, pd-ssd or a hyperdisk.

    Slurm writes many small files, and the accounting database syncs after each transaction. Source: Slurm's High
    Throughput Computing guide, StateSaveLocation.
    """
    kind = cluster.head_node.state.type
    if kind in ("pd-standard", "hyperdisk-throughput"):
        yield Problem(
            path=("head_node", "state", "type"),
            value=kind,
            reason=f"every job causes several small writes, but {kind} can handle only a few per second",
            remedy="use pd-balanced or pd-ssd",
        )
