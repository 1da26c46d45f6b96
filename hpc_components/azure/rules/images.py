"""Rules on machine images: whether nodes can boot from them and find the software that they need."""

from collections.abc import Iterator

from hpc_components.azure.catalog.image_offers import ImageOrder, image_refusals, public_image
from hpc_components.azure.catalog.image_plans import other_system
from hpc_components.azure.catalog.images import image_of, image_reference
from hpc_components.azure.head.model import AzureHeadNode
from hpc_components.azure.login.model import AzureLoginNodes
from hpc_components.azure.rules._stores import lustre_systems
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.queues import AzureQueue
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.refusal import Refusal
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, images, who
from hpc_components.spec.rules._systems import use_system
from hpc_components.wording import any_of


@rule("HPC-OSI-011", Level.ERROR)
def image_for_machine(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An image has the processor architecture of its machine, and the operating system of the description.

    The boot steps of nodes support only Ubuntu and Debian. A node with another system would shut down, so AlmaLinux
    HPC can't be used yet. Source: the catalogue's images; docs/boot.md.
    """
    for field in ("arch", "os"):
        for path, machine, image, refusal in _refused(cluster, field):
            what, wanted = (machine.name, machine.arch) if field == "arch" else ("os", cluster.os)
            fits = f"{what} is {wanted}" if other_system(image) is None else "nodes boot Ubuntu and Debian only"
            planned = ", and its image_plan" if _node(cluster, path).image_plan else ""
            public = image_of(cluster.os, machine)
            yield Problem(
                path=(*path, "image"),
                value=image,
                reason=f"{image} has {refusal.allowed[0]}, and {fits}",
                remedy=f"remove it{planned}"
                + (f": the default is {public.urn}" if public else ", or name another one"),
            )


@rule("HPC-OSI-012", Level.ERROR)
def image_with_drivers(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An image has the InfiniBand and GPU drivers that its machine needs.

    Nodes with InfiniBand check for driver and MPI at their first boot, and shut down without them. Azure's HPC image,
    which exists only for Ubuntu, has both, and GPU drivers. Source: azhpc-images, contents of the images.
    """
    for path, machine, image, refusal in _refused(cluster, "accelerator"):
        known, model = public_image(image), machine.accelerator.model if machine.accelerator else "GPU"
        yield Problem(
            path=(*path, "image"),
            value=image,
            reason=f"{image} has no driver for the {model} in {machine.name}",
            remedy=f"use {any_of(map(str, refusal.allowed))}" if refusal.allowed else "use an image of your own",
            level=Level.WARNING if known and "models" in known.unsure else None,
        )
    for path, machine, image in _without_fabric(cluster):
        default = image_of(cluster.os, machine)
        equipped = default.urn if default and default.fabric else None
        yield Problem(
            path=path,
            value=image,
            reason=f"{image} has no InfiniBand drivers: nodes of {machine.name} would shut down at boot",
            remedy=(f"use {equipped}" if equipped else f"{use_system(cluster)}, whose HPC image has them")
            + ", or fabric: false",
        )


@rule("HPC-OSI-013", Level.ERROR)
def image_generation(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Machines of newer HPC and GPU types have a generation 2 image.

    Source: Azure documentation, "Support for Generation 2 VMs on Azure".
    """
    for path, machine, image, _ in _refused(cluster, "generation"):
        public = image_of(cluster.os, machine)
        yield Problem(
            path=(*path, "image"),
            value=image,
            reason=f"{image} is a generation 1 image, and {machine.name} supports generation 2 only",
            remedy=f"use {public.urn}" if public else "use an image whose sku ends with gen2",
        )


@rule("HPC-OSI-014", Level.INFO)
def floating_image(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An image has a fixed version, so that all nodes have the same one.

    With `latest`, nodes of one queue may differ, and a new kernel may not have a Lustre client yet, without which a
    node does not join; so with Lustre it is a warning. Source: Azure documentation, "Find Azure Marketplace image
    information"; Azure Managed Lustre documentation, "Install clients".
    """
    lustre = any(lustre_systems(cluster, new=False))
    for path, name, own in images(cluster):
        machine = facts(cluster, name)
        default = image_of(cluster.os, machine) if machine and own is None else None
        urn = own or (default.urn if default else "")
        if (image_reference(urn) or {}).get("version") == "latest":
            yield Problem(
                path=(*path, "image") if own else (*path, "machine"),
                value=urn,
                reason=f"the image of {who(cluster, [path])} is the newest version at the launch of each node"
                + (": its kernel may be too new for the Lustre client" if lustre else ""),
                remedy="choose a version: `az vm image list --all --publisher "
                f"{urn.partition(':')[0]} --offer {urn.split(':')[1]}` lists them",
                level=Level.WARNING if lustre else None,
            )


@rule("HPC-OSI-015", Level.INFO)
def image_unseen(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A custom image in Azure has what its machines need, which is not visible here.

    Its architecture, generation, operating system and drivers must match the machine.
    """
    for path, name, image in images(cluster):
        machine = facts(cluster, name)
        if image is None or machine is None or image_reference(image) is None:
            continue
        if public_image(image) is not None or other_system(image) is not None:
            continue
        needs = [machine.arch, cluster.os]
        needs += [f"the driver for {machine.accelerator.model}"] if machine.accelerator else []
        if path[0] == "queues" and fabric_on(cluster.queues[int(path[1])]):
            needs += ["OFED and HPC-X for InfiniBand"]
        yield Problem(
            path=(*path, "image"),
            value=image,
            reason=f"the catalogue has no facts about {image}",
            remedy=f"make sure that it is a generation 2 image in {cluster.region} with {', '.join(needs)}",
        )


def _node(cluster: AzureClusterSpec, path: Path) -> AzureHeadNode | AzureLoginNodes | AzureQueue:
    """Return the part of the description at `path`, which can name an image."""
    return cluster.queues[int(path[1])] if len(path) > 1 else getattr(cluster, str(path[0]))


def _refused(cluster: AzureClusterSpec, field: str) -> Iterator[tuple[Path, Machine, str, Refusal]]:
    """Yield the refusals of a field for the images in the description."""
    for path, name, own in images(cluster):
        machine = facts(cluster, name)
        if own is None or machine is None:
            continue
        fabric = path[0] == "queues" and fabric_on(cluster.queues[int(path[1])])
        for refusal in image_refusals(ImageOrder(image=own, os=cluster.os, machine=machine, fabric=fabric)):
            if refusal.field == field:
                yield path, machine, own, refusal


def _without_fabric(cluster: AzureClusterSpec) -> Iterator[tuple[Path, Machine, str]]:
    """Yield images, given or default, of nodes with InfiniBand that lack its drivers."""
    for path, machine, image, _ in _refused(cluster, "fabric"):
        yield (*path, "image"), machine, image
    for index, queue in enumerate(cluster.queues):
        machine = facts(cluster, queue.machine)
        default = image_of(cluster.os, machine) if machine and queue.image is None else None
        if machine and default and fabric_on(queue) and not default.fabric:
            yield ("queues", index, "machine"), machine, default.urn
