"""Translation of images of nodes into arguments of components."""

from hpc_components.azure.catalog.image_plans import purchase_plan
from hpc_components.azure.catalog.images import image_of
from hpc_components.azure.head.model import AzureHeadNode
from hpc_components.azure.login.model import AzureLoginNodes
from hpc_components.azure.machines.profile import ImagePlan
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.queues import AzureQueue
from hpc_components.catalog import machine


def image(cluster: AzureClusterSpec, machine_type: str, own: str | None) -> str:
    """Return the given image, or the catalogue's image of the cluster's operating system for this VM size."""
    if own is not None:
        return own
    facts = machine("azure", machine_type)
    found = image_of(cluster.os, facts) if facts else None
    if found is None:
        raise ValueError(
            f"no image of {cluster.os} is known for {machine_type}; name one as image: publisher:offer:sku:version"
        )
    return found.urn


def image_plan(node: AzureHeadNode | AzureLoginNodes | AzureQueue) -> ImagePlan | None:
    """Return the purchase plan of a node's image; None without one."""
    own = node.image_plan
    if own is None:
        return None
    found = purchase_plan(node.image, name=own.name, product=own.product, publisher=own.publisher)
    assert found is not None, "a rule: an image without a URN has a whole plan"
    return ImagePlan(publisher=found.publisher, product=found.product, name=found.name)
