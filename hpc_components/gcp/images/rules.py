from collections.abc import Iterator

from hpc_components.catalog import Machine, operating_systems
from hpc_components.catalog.base_image import recent_version
from hpc_components.gcp.catalog.images import has_fabric_driver, has_image, image_reference, public_image
from hpc_components.gcp.catalog.images import images as public_images
from hpc_components.gcp.catalog.projects import differ
from hpc_components.gcp.images.model import order_of
from hpc_components.gcp.images.offer import LIMITS, ImageOrder, refusals
from hpc_components.gcp.lustre.model import Lustre
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.identities import node_places
from hpc_components.spec.node_images import has_recipe, image_place, images
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts
from hpc_components.spec.rules._systems import use_system
from hpc_components.spec.rules.operating_systems import is_accepted
from hpc_components.spec.stores import systems
from hpc_components.spec.surfaces import Surface, offer_rules
from hpc_components.wording import any_of


def _orders(cluster: GcpClusterSpec) -> Iterator[tuple[ImageOrder, Surface]]:
    nodes = dict(node_places(cluster))
    for path, _, own, machine in images(cluster):
        if own is not None and machine is not None:
            yield order_of(nodes[path], path, cluster, image=own, machine=machine)


offer_rules(__name__, GcpClusterSpec, LIMITS, refusals, _orders)


@rule("HPC-OSI-018", Level.ERROR)
def image_with_rdma_driver(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """An image for machines with Cloud RDMA must include the driver for their RDMA card.

    Google provides the driver only for Rocky Linux. A node without the driver shuts itself down at boot, so the queue
    never runs a job. Source: Cluster Toolkit 1.95.0, install_cloud_rdma_drivers.sh ("only supported on Rocky Linux"),
    and examples/hpc-slurm-h4d; Compute Engine documentation, "Create an HPC-ready VM instance".
    """
    for index, queue in enumerate(cluster.queues):
        machine = facts(cluster, queue.machine)
        own = cluster.base_of(queue.image)
        if machine is None or not fabric_on(queue) or has_fabric_driver(cluster.os, machine, own):
            continue
        yield Problem(
            path=image_place(cluster, ("queues", index)) if own else ("queues", index, "machine"),
            value=own or queue.machine,
            reason=f"{own or f'the image of {cluster.os}'} has no driver for {machine.name}'s RDMA card, so "
            "nodes would shut themselves down at boot",
            remedy=f"set fabric: false, {_systems_with_driver(machine)}or use a custom image whose kernel has the "
            "drivers idpf and irdma (image: projects/<project>/global/images/<name>)",
        )


def _systems_with_driver(machine: Machine) -> str:
    names = [system.name for system in operating_systems() if is_accepted(system)]
    found = [name for name in names if has_image(name, machine) and has_fabric_driver(name, machine)]
    return f"use os: {any_of(found)}, " if found else ""


@rule("HPC-OSI-019", Level.INFO)
def image_fixed(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Specify a particular image, because the newest image of a family changes over time.

    A family resolves to its newest image when a template is created. With Lustre, this finding is a warning, because
    there may not yet be a Lustre client for the newest kernel, and nodes can't join without the client. Source:
    Compute Engine documentation, "Image families best practices".
    """
    lustre = any(systems(cluster, Lustre, new=False))
    for path, _, image, _ in images(cluster):
        parts = image_reference(image) if image else None
        if image and parts and "family" in parts and not has_recipe(cluster, path):
            yield Problem(
                path=image_place(cluster, path),
                value=image,
                reason=f"{parts['family']} is an image family, whose newest image may change at any time"
                + (" to one whose kernel is too new for the Lustre client" if lustre else ""),
                remedy=f"{_known_release(image)}specify an image from this list: gcloud compute images list "
                f"--project {parts['project']} --filter family={parts['family']}",
                level=Level.WARNING if lustre else None,
            )


def _known_release(family: str) -> str:
    known = public_image(family)
    newest = recent_version(public_images(), known) if known else None
    return f"use {newest.id}, or " if newest else ""


@rule("HPC-OSI-020", Level.INFO)
def image_unseen(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Make sure that a custom image suits its machine.

    Custom images can't be checked here. The image's architecture, operating system and drivers must be right for the
    machine. If the image is in another project, the head node's service account needs permission to use it. Source:
    Compute Engine documentation, "Manage access to custom images".
    """
    for path, _, image, machine in images(cluster):
        parts = image_reference(image) if image else None
        if image is None or machine is None or parts is None or public_image(image) is not None:
            continue
        needs = [machine.arch, cluster.os, "gVNIC and UEFI"]
        needs += [f"the driver for {machine.accelerator.model} GPUs"] if machine.accelerator else []
        needs += ["the drivers idpf and irdma"] if machine.family == "h4d" else []
        other = differ(parts["project"], cluster.project)
        yield Problem(
            path=image_place(cluster, path),
            value=image,
            reason=f"the catalogue doesn't include {image}",
            remedy=f"make sure that the image provides {', '.join(needs)}"
            + (
                f", and that the head node may use the image (roles/compute.imageUser in {parts['project']})"
                if other
                else ""
            ),
        )


@rule("HPC-OSI-021", Level.WARNING)
def image_that_reads_user_data(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A node's image must include cloud-init, which sets up the node.

    Ubuntu's images include cloud-init. As far as we know, Google's Debian images include only Google's own agent, so
    a node with such an image would never join the cluster. Source: Compute Engine documentation, "Guest environment",
    software.
    """
    if not cluster.os.startswith("debian-"):
        return
    plain = [path for path, _, image, _ in images(cluster) if image is None or public_image(image)]
    if plain:
        yield Problem(
            path=("os",),
            value=cluster.os,
            reason="as far as we know, Google's Debian images don't include cloud-init, so nodes would never be set "
            "up",
            remedy=f"{use_system(cluster)}, or custom images with cloud-init",
        )
