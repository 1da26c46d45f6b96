"""Rules on root disks that are on the machines' local disks."""

from collections.abc import Iterator

from hpc_components.azure.catalog.images import image_gib
from hpc_components.azure.catalog.local_disks import ephemeral_refusals, local_root
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.queue_root import root_of
from hpc_components.azure.spec.queues import AzureQueue
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts


@rule("HPC-DSK-009", Level.ERROR)
def own_disks_have_room(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """With `ephemeral_root`, the local disks of the machine have room for the root disk.

    Otherwise Azure refuses the scale set. The same holds for fallback machines. Source: Azure documentation,
    "Ephemeral OS disks", size requirements; the catalogue's local disks.
    """
    for path, queue, name in _machines(cluster):
        gib = root_of(queue).size.in_gib
        for refusal in ephemeral_refusals(name, gib):
            machine = facts(cluster, queue.machine)
            least = image_gib(cluster.os, machine) if machine and queue.image is None else None
            most = int(refusal.allowed[-1]) if refusal.allowed else 0
            fits = most > 0 and (least is None or most >= least[0])
            yield Problem(
                path=path,
                value=True,
                reason=f"{name} has room for a root disk of {most} GiB on its local disks, not of {gib:g} GiB"
                if most
                else f"{name} has no local disks for a root disk",
                remedy=(f"use root: {{size: {most}GiB}}, or " if fits else "") + "remove ephemeral_root",
            )


@rule("HPC-DSK-010", Level.WARNING)
def own_disks_unknown(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """With `ephemeral_root`, the catalogue knows the room on the machine's local disks.

    Source: the catalogue's local disks.
    """
    for path, queue, name in _machines(cluster):
        found = local_root(name)
        if found is None or found.unsure:
            yield Problem(
                path=path,
                value=True,
                reason=f"no source confirms that the local disks of {name} have room for a root disk of"
                f" {root_of(queue).size.in_gib:g} GiB: Azure may refuse the scale set",
                remedy=f"check EphemeralOSDiskSupported in `az vm list-skus --size {name} --location"
                f" {cluster.region}`, then silence this",
            )


@rule("HPC-DSK-011", Level.ERROR)
def ephemeral_root_alone(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """With `ephemeral_root`, `root` has no type, and disks are left for local scratch.

    No managed disk exists whose type could be chosen. On machines of newer series the root disk uses whole NVMe
    disks, and a node shuts down if a disk for `local_scratch` is in use. Source: Azure documentation, "Ephemeral OS
    disks" and its FAQ, NVMe disk placement.
    """
    for index, queue in enumerate(cluster.queues):
        root = queue.root
        if queue.ephemeral_root and root is not None and "type" in root.model_fields_set:
            yield Problem(
                path=("queues", index, "root", "type"),
                value=root.type,
                reason="the root disk is on the machine's local disks, so it is not a managed disk with a type",
                remedy="remove type, or ephemeral_root",
            )
    for path, queue, name in _machines(cluster):
        found = local_root(name)
        if queue.local_scratch and found and found.placement == "NvmeDisk":
            yield Problem(
                path=path,
                value=True,
                reason=f"on {name} the root disk uses the NVMe disks that local_scratch {queue.local_scratch} needs",
                remedy="remove ephemeral_root, or local_scratch",
            )


def _machines(cluster: AzureClusterSpec) -> Iterator[tuple[Path, AzureQueue, str]]:
    """Yield (path, queue, machine) for queues whose root disks are on local disks."""
    for index, queue in enumerate(cluster.queues):
        for name in queue.machines if queue.ephemeral_root else ():
            yield ("queues", index, "ephemeral_root"), queue, name
