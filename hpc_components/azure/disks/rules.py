from collections.abc import Iterator
from itertools import chain

from hpc_components.azure.disks.model import disks, local_roots, order_of, root_of
from hpc_components.azure.disks.offer import HARD_DISK, LIMITS, DiskOrder, LocalRootOrder, local_root, refusals
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.surfaces import Surface, offer_rules


def _orders(cluster: AzureClusterSpec) -> Iterator[tuple[DiskOrder | LocalRootOrder, Surface]]:
    return (order_of(use, cluster) for use in chain(disks(cluster), local_roots(cluster)))


offer_rules(__name__, AzureClusterSpec, LIMITS, refusals, _orders)


@rule("HPC-DSK-008", Level.WARNING)
def state_on_ssd(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The head node's state disk should be an SSD.

    Slurm writes many small files, and the accounting database syncs after each transaction. Source: Slurm's High
    Throughput Computing guide, StateSaveLocation.
    """
    if cluster.head_node.state.type == HARD_DISK:
        yield Problem(
            path=("head_node", "state", "type"),
            value=HARD_DISK,
            reason="every job causes several small writes, and a hard disk handles only a few hundred per second",
            remedy="use Premium_LRS",
        )


@rule("HPC-DSK-010", Level.WARNING)
def own_disks_unknown(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """With `ephemeral_root`, the machine's local disks should be known to have room for the root disk.

    Source: the catalogue's facts about local disks.
    """
    for use in local_roots(cluster):
        found = local_root(use.machine)
        if found is None or found.unsure:
            yield Problem(
                path=(*use.path, "ephemeral_root"),
                value=True,
                reason=f"no source confirms that the local disks of {use.machine} have room for a root disk of "
                f"{root_of(use.queue).size.in_gib:g} GiB, so Azure may refuse the scale set",
                remedy=f"check EphemeralOSDiskSupported in the output of `az vm list-skus --size {use.machine} "
                f"--location {cluster.region}`, then silence this finding",
            )


@rule("HPC-DSK-011", Level.ERROR)
def ephemeral_root_alone(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """`ephemeral_root` must not be combined with a type in `root`, nor take up disks for `local_scratch`.

    An ephemeral root disk is not a managed disk, so its type can't be chosen. On newer machine series, the root disk
    takes up whole NVMe disks, and a node shuts down if a disk for `local_scratch` is already in use. Source: Azure
    documentation, "Ephemeral OS disks" and its FAQ, NVMe disk placement.
    """
    for index, queue in enumerate(cluster.queues):
        root = queue.root
        if queue.ephemeral_root and root is not None and "type" in root.model_fields_set:
            yield Problem(
                path=("queues", index, "root", "type"),
                value=root.type,
                reason="the root disk is on the machine's local disks, so it has no managed disk type",
                remedy="remove either type or ephemeral_root",
            )
    for use in local_roots(cluster):
        found, scratch = local_root(use.machine), use.queue.local_scratch
        if scratch and found and found.placement == "NvmeDisk":
            yield Problem(
                path=(*use.path, "ephemeral_root"),
                value=True,
                reason=f"on {use.machine}, the root disk takes up the NVMe disks that "
                f"local_scratch ({scratch}) needs",
                remedy="remove either ephemeral_root or local_scratch",
            )
