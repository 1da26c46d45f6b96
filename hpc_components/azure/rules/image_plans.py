"""Rules on the purchase plans of machine images."""

from collections.abc import Iterator

from hpc_components.azure.catalog.image_plans import PurchasePlan, other_system, plan_refusals, purchase_plan
from hpc_components.azure.catalog.images import image_reference
from hpc_components.azure.head.model import AzureHeadNode
from hpc_components.azure.login.model import AzureLoginNodes
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.queues import AzureQueue
from hpc_components.catalog.refusal import Why
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule


@rule("HPC-OSI-010", Level.ERROR)
def image_with_plan(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An image that is sold with a purchase plan is given with its plan.

    Otherwise Azure creates no machine from it. Source: Azure documentation, "Supply Azure Marketplace purchase plan
    information"; the catalogue's offers.
    """
    for path, node in _nodes(cluster):
        usual = purchase_plan(node.image)
        if node.image is None or usual is None or not _is_refused(node, Why.MISSING):
            continue
        yield Problem(
            path=(*path, "image"),
            value=node.image,
            reason=f"{node.image} is sold with a purchase plan, without which Azure creates no machine from it",
            remedy=f"add image_plan: {{name: {usual.name}}}, and accept its terms once: {usual.terms_command}",
        )


@rule("HPC-OSI-022", Level.ERROR)
def plan_of_image(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A purchase plan is complete, and belongs to the given image.

    A URN includes publisher and offer, but the id of an image does not show the plan of its source image. Azure
    refuses a plan for an image without one. Source: Azure documentation, "Supply Azure Marketplace purchase plan
    information"; "Common error codes for Azure virtual machines", VMMarketplaceInvalidInput.
    """
    for path, node in _nodes(cluster):
        plan = node.image_plan
        if plan is None:
            continue
        if node.image is None:
            reason, remedy = "a plan belongs to an image, and no image is given", "add image, or remove it"
        elif _is_refused(node, Why.NOT_TAKEN):
            reason, remedy = f"{node.image} has no purchase plan, so Azure refuses one for it", "remove it"
        elif image_reference(node.image) is None:
            continue  # another rule reports it
        elif _plan(node) is None:
            missing = [key for key in ("publisher", "product") if getattr(plan, key) is None]
            reason = f"the id of an image does not include the plan's {' and '.join(missing)}"
            remedy = (
                "add "
                + ", ".join(f"{key}: ..." for key in missing)
                + "; `az sig image-definition show` shows the plan"
            )
        else:
            continue
        yield Problem(path=(*path, "image_plan"), value=plan.name, reason=reason, remedy=remedy)


@rule("HPC-OSI-023", Level.INFO)
def terms_of_plan(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The terms of a purchase plan are accepted for the subscription before the first machine is created.

    Otherwise `pulumi up`, or the launch of nodes, fails with MarketplacePurchaseEligibilityFailed. The costs shown do
    not include the publisher's charge for the image. Source: Azure documentation, "Find and use Azure Marketplace VM
    images with the Azure CLI", accept the terms.
    """
    places: dict[PurchasePlan, list[Path]] = {}
    for path, node in _nodes(cluster):
        plan = _plan(node)
        is_usable = node.image is not None and other_system(node.image) is None
        if plan is not None and is_usable and not _is_refused(node, Why.NOT_TAKEN):
            places.setdefault(plan, []).append((*path, "image_plan"))
    for plan, paths in places.items():
        yield Problem(
            path=paths[0],
            places=tuple(paths),
            about={"plan": f"{plan.publisher}:{plan.product}:{plan.name}"},
            value=plan.name,
            reason="Azure creates no machine with it until its terms are accepted for the subscription; the"
            " costs shown do not include the publisher's charge for the image",
            remedy=f"run this once: {plan.terms_command}",
        )


def _nodes(cluster: AzureClusterSpec) -> Iterator[tuple[Path, AzureHeadNode | AzureLoginNodes | AzureQueue]]:
    """Yield the parts of the description that can name an image, with their paths."""
    yield ("head_node",), cluster.head_node
    if cluster.login_nodes:
        yield ("login_nodes",), cluster.login_nodes
    for index, queue in enumerate(cluster.queues):
        yield ("queues", index), queue


def _plan(node: AzureHeadNode | AzureLoginNodes | AzureQueue) -> PurchasePlan | None:
    """Return the complete plan of a node; None if it has none or it is incomplete."""
    plan = node.image_plan
    if plan is None:
        return None
    return purchase_plan(node.image, name=plan.name, product=plan.product, publisher=plan.publisher)


def _is_refused(node: AzureHeadNode | AzureLoginNodes | AzureQueue, why: Why) -> bool:
    """Return whether Azure refuses image and plan for this reason; other operating systems are left to other
    rules."""
    if node.image is None or other_system(node.image) is not None:
        return False
    return any(each.why is why for each in plan_refusals(node.image, has_plan=node.image_plan is not None))
