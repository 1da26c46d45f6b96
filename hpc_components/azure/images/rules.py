from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from hpc_components.azure.catalog.images import all_images, image_of, image_reference, public_image
from hpc_components.azure.images.model import order_of
from hpc_components.azure.images.offer import LIMITS, ImageOrder, PurchasePlan, other_system, refusals, usual_plan
from hpc_components.azure.rules._stores import lustre_systems
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.catalog.base_image import recent_version
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.identities import node_places
from hpc_components.spec.node_images import has_recipe, image_place, images, who
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.rule import rule
from hpc_components.spec.surfaces import Surface, offer_rules

if TYPE_CHECKING:
    from hpc_components.azure.images.model import Node


def _orders(cluster: AzureClusterSpec) -> Iterator[tuple[ImageOrder, Surface]]:
    for path, node in node_places(cluster):
        yield order_of(cast("Node", node), path, cluster)


offer_rules(__name__, AzureClusterSpec, LIMITS, refusals, _orders)


@rule("HPC-OSI-014", Level.INFO)
def floating_image(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Specify a fixed image version, so that all nodes run the same one.

    With `latest`, nodes in the same queue may run different versions. If the cluster uses Lustre, the finding is a
    warning, because there may not be a Lustre client for the newest kernel yet, and nodes can't join the cluster
    without one. Source: Azure documentation, "Find Azure Marketplace image information"; Azure Managed Lustre
    documentation, "Install clients".
    """
    lustre = any(lustre_systems(cluster, new=False))
    for path, _, own, machine in images(cluster):
        default = image_of(cluster.os, machine) if machine and own is None else None
        urn = own or (default.id if default else "")
        if (image_reference(urn) or {}).get("version") == "latest" and not has_recipe(cluster, path):
            yield Problem(
                path=image_place(cluster, path) if own else (*path, "machine"),
                value=urn,
                reason=f"the image of {who(cluster, [path])} is whichever version is newest when a node is launched"
                + (", so its kernel may be too new for the Lustre client" if lustre else ""),
                remedy=f"{_known_version(urn)}; to list the available ones, run `az vm image list --all --publisher "
                f"{urn.partition(':')[0]} --offer {urn.split(':')[1]}`",
                level=Level.WARNING if lustre else None,
            )


def _known_version(urn: str) -> str:
    known = public_image(urn)
    newest = recent_version(all_images(), known) if known else None
    return f"specify a version, such as {newest.id}" if newest else "specify a version"


@rule("HPC-OSI-015", Level.INFO)
def image_unseen(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Make sure that a custom image meets the requirements of its machines, because we can't inspect it.

    The image's architecture, generation, operating system and drivers must match the machine.
    """
    for path, _, image, machine in images(cluster):
        if image is None or machine is None or image_reference(image) is None:
            continue
        if public_image(image) is not None or other_system(image, cluster.os) is not None:
            continue
        needs = [machine.arch, cluster.os]
        needs += [f"the driver for {machine.accelerator.model}"] if machine.accelerator else []
        if path[0] == "queues" and fabric_on(cluster.queues[int(path[1])]):
            needs += ["OFED and HPC-X for InfiniBand"]
        yield Problem(
            path=image_place(cluster, path),
            value=image,
            reason=f"the catalogue has no facts about {image}",
            remedy=f"make sure that it is a generation 2 image in {cluster.region} with {', '.join(needs)}",
        )


def _plan_to_accept(order: ImageOrder, os: str) -> PurchasePlan | None:
    """Return the plan of the default image or of the specified one, unless another rule refuses the image or plan."""
    if order.image is None:
        default = image_of(os, order.machine) if order.machine else None
        return usual_plan(default.id) if default else None
    sold = usual_plan(order.image) is not None or public_image(order.image) is None
    if order.plan is None or not sold or other_system(order.image, os):
        return None
    return order.plan.of_image(order.image)


@rule("HPC-OSI-023", Level.INFO)
def terms_of_plan(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The terms of a purchase plan must be accepted for the subscription before the first machine is created.

    Otherwise, `pulumi up` or the launch of nodes fails with MarketplacePurchaseEligibilityFailed. The costs shown do
    not include the publisher's charge for the image. Source: Azure documentation, "Find and use Azure Marketplace VM
    images with the Azure CLI", accept the terms.
    """
    places: dict[PurchasePlan, list[Path]] = {}
    for order, surface in _orders(cluster):
        if plan := _plan_to_accept(order, cluster.os):
            key = "machine" if order.image is None else "image_plan"
            places.setdefault(plan, []).append((*surface.at, key))
    for plan, paths in places.items():
        yield Problem(
            path=paths[0],
            places=tuple(paths),
            about={"plan": f"{plan.publisher}:{plan.product}:{plan.name}"},
            value=plan.name,
            reason="Azure refuses to create machines with this plan until its terms are accepted for the "
            "subscription; the costs shown do not include the publisher's charge for the image",
            remedy=f"run this once: {plan.terms_command}",
        )
