"""Converts node images in a description to component arguments."""

from typing import TYPE_CHECKING

from hpc_components.azure.catalog.images import image_of
from hpc_components.azure.images.component import ImagePlan
from hpc_components.azure.images.model import plan_of
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.catalog import machine

if TYPE_CHECKING:
    from hpc_components.azure.images.model import Node


def image(cluster: AzureClusterSpec, machine_type: str, own: str | None) -> str:
    """Return `own`, or if it is None, the catalogue's image of the cluster's operating system for this VM size."""
    if own is not None:
        return own
    facts = machine("azure", machine_type)
    found = image_of(cluster.os, facts) if facts else None
    if found is None:
        raise ValueError(
            f"no image of {cluster.os} is known for {machine_type}; name one as image: publisher:offer:sku:version"
        )
    return found.urn


def image_plan(node: "Node") -> ImagePlan | None:
    """Return the purchase plan of a node's image, or None if it has none."""
    own = plan_of(node)
    if own is None:
        return None
    found = own.of_image(node.image)
    assert found is not None, "a rule: an image without a URN has a whole plan"
    return ImagePlan(publisher=found.publisher, product=found.product, name=found.name)
