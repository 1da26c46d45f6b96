from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Union

from hpc_components.azure.images.offer import ImageOrder, NamedPlan, PurchasePlan
from hpc_components.spec.findings import Path
from hpc_components.spec.model import Model
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.rules._fleet import facts
from hpc_components.spec.surfaces import Key, Keys, Surface, described

if TYPE_CHECKING:
    from hpc_components.azure.fleet.model import AzureQueue
    from hpc_components.azure.head.model import AzureHeadNode
    from hpc_components.azure.login.model import AzureLoginNodes
    from hpc_components.azure.spec.cluster import AzureClusterSpec

    Node = Union[AzureHeadNode, AzureLoginNodes, AzureQueue]  # noqa: UP007 - of names that are strings at run time


class ImagePlan(Model):
    """The Azure Marketplace purchase plan of an image, or of the image that it was made from.

    Azure creates machines from the image only after the plan's terms have been accepted for the subscription, with
    `az vm image terms accept`.
    """

    name: str
    """Name of the plan, which is usually the image's sku."""
    product: str | None = None
    """Offer; default: the offer of `image`."""
    publisher: str | None = None
    """Publisher; default: the publisher of `image`."""


def _in_yaml(plan: PurchasePlan) -> Mapping[str, str]:
    """Return the purchase plan in YAML notation: only its name, because the image URN contains the rest."""
    return {"name": plan.name}


KEYS: Keys = {
    "image": Key(("image",)),
    "plan": Key(("image_plan",), _in_yaml),
    "os": Key(("os",), outside=True),
    "machine": Key(("machine",)),
    "fabric": Key(("fabric",)),
}


def order_of(node: "Node", path: Path, cluster: "AzureClusterSpec") -> tuple[ImageOrder, Surface]:
    order = ImageOrder(
        image=cluster.base_of(node.image),
        plan=plan_of(node),
        os=cluster.os,
        machine=facts(cluster, node.machine),
        fabric=path[0] == "queues" and fabric_on(cluster.queues[int(path[1])]),
    )
    recipe = cluster.recipe_of(node.image)
    base = Key(("images", recipe, "base"), outside=True) if recipe else KEYS["image"]
    surface = described(node, path, {**KEYS, "image": base}, cluster)
    if node.image_plan is None:
        return order, surface
    return order, replace(surface, values={**surface.values, "plan": node.image_plan.name})


def plan_of(node: "Node") -> NamedPlan | None:
    own = node.image_plan
    return None if own is None else NamedPlan(name=own.name, product=own.product, publisher=own.publisher)
