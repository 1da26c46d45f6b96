from collections.abc import Mapping
from typing import TYPE_CHECKING

from pulumi import Input

from hpc_components.azure.catalog.images import image_of
from hpc_components.azure.images.component import ImagePlan
from hpc_components.azure.images.model import plan_of
from hpc_components.azure.images.offer import usual_plan
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.node_images import machine_of_base

if TYPE_CHECKING:
    from hpc_components.azure.images.model import Node


def image(cluster: AzureClusterSpec, machine_type: str, own: str | None) -> str:
    """Return `own`, or, if it is None, the catalogue's image for the cluster's operating system and this VM size.

    Raise ValueError if the catalogue has no such image.
    """
    base = cluster.base_of(own)
    if base is not None:
        return base
    facts = machine_of_base(cluster, machine_type, own)
    found = image_of(cluster.os, facts) if facts else None
    if found is None:
        raise ValueError(
            f"the catalogue has no {cluster.os} image for {machine_type}; specify an image, as "
            "publisher:offer:sku:version"
        )
    return found.id


def node_image(
    cluster: AzureClusterSpec, machine_type: str, own: str | None, made: Mapping[str, Input[str]]
) -> Input[str]:
    """Return the image that a recipe of the stack has made, if `own` names one. `made` maps recipes to images."""
    found = None if own is None else made.get(own)
    return found if found is not None else image(cluster, machine_type, own)


def image_plan(cluster: AzureClusterSpec, node: "Node") -> ImagePlan | None:
    """Return the described purchase plan, or that of the default image if the node has this image."""
    own, base = plan_of(node), cluster.base_of(node.image)
    found = own.of_image(base) if own else usual_plan(image(cluster, node.machine, None)) if base is None else None
    assert found is not None or own is None, "a rule ensures that an image without a URN has a complete plan"
    if found is None:
        return None
    return ImagePlan(publisher=found.publisher, product=found.product, name=found.name)
