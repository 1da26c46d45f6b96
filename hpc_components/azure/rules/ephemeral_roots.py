"""Rules on root disks that are on the machines' own disks."""

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
    """With `ephemeral_root`, the machine's own disks have room for the root disk.

    Azure refuses the scale set otherwise. So it is for fallback machines. Source: Azure documentation, "Ephemeral OS
    disks", size requirements; the catalogue's local disks.
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
                reason=f"{name} has room for a root disk of {most} GiB on its own disks, not of {gib:g}"
                if most
                else f"{name} has no disks of its own for a root disk",
                remedy=(f"use root: {{size: {most}GiB}}, or " if fits else "") + "remove ephemeral_root",
            )


@rule("HPC-DSK-010", Level.WARNING)
def own_disks_unknown(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """With `ephemeral_root`, it is known what the machine's own disks have room for.

    Source: the catalogue's local disks.
    """
    for path, queue, name in _machines(cluster):
        found = local_root(name)
        if found is None or found.unsure:
            yield Problem(
                path=path,
                value=True,
                reason=f"no source says for sure that the own disks of {name} have room for a root disk of"
                f" {root_of(queue).size.in_gib:g} GiB: the scale set may be refused",
                remedy=f"look at EphemeralOSDiskSupported in `az vm list-skus --size {name} --location"
                f" {cluster.region}`, then silence this",
            )


@rule("HPC-DSK-011", Level.ERROR)
def ephemeral_root_alone(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """With `ephemeral_root`, `root` has no type, and local scratch has disks left.

    There is no managed disk whose type one could choose. On machines of the newer series the root disk takes NVMe
    disks whole; a node that finds a disk for `local_scratch` in use ends itself. Source: Azure documentation,
    "Ephemeral OS disks" and its FAQ, NVMe disk placement.
    """
    for index, queue in enumerate(cluster.queues):
        root = queue.root
        if queue.ephemeral_root and root is not None and "type" in root.model_fields_set:
            yield Problem(
                path=("queues", index, "root", "type"),
                value=root.type,
                reason="the root disk is on the machine's own disks, and is no managed disk of any type",
                remedy="remove type, or ephemeral_root",
            )
    for path, queue, name in _machines(cluster):
        found = local_root(name)
        if queue.local_scratch and found and found.placement == "NvmeDisk":
            yield Problem(
                path=path,
                value=True,
                reason=f"on {name} the root disk takes the NVMe disks that local_scratch {queue.local_scratch} is on",
                remedy="remove ephemeral_root, or local_scratch",
            )


def _machines(cluster: AzureClusterSpec) -> Iterator[tuple[Path, AzureQueue, str]]:
    """The machines of queues whose root disks are on the machines' own disks."""
    for index, queue in enumerate(cluster.queues):
        for name in queue.machines if queue.ephemeral_root else ():
            yield ("queues", index, "ephemeral_root"), queue, name
