"""Rules on the purchase plans of machine images."""

from collections.abc import Iterator

from hpc_components.azure.catalog.image_plans import PurchasePlan, other_system, plan_refusals, purchase_plan
from hpc_components.azure.catalog.images import image_reference
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.azure.spec.nodes import AzureHeadNode, AzureLoginNodes
from hpc_components.azure.spec.queues import AzureQueue
from hpc_components.catalog.refusal import Why
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule


@rule("HPC-OSI-010", Level.ERROR)
def image_with_plan(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An image that is sold with a purchase plan has its plan beside it.

    Azure makes no machine from it otherwise. Source: Azure documentation, "Supply Azure Marketplace purchase plan
    information"; the catalogue's offers.
    """
    for path, node in _nodes(cluster):
        usual = purchase_plan(node.image)
        if node.image is None or usual is None or not _is_refused(node, Why.MISSING):
            continue
        yield Problem(
            path=(*path, "image"),
            value=node.image,
            reason=f"{node.image} is sold with a purchase plan, without which Azure makes no machine from it",
            remedy=f"add image_plan: {{name: {usual.name}}}, and accept its terms once: {usual.terms_command}",
        )


@rule("HPC-OSI-022", Level.ERROR)
def plan_of_image(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A purchase plan is that of an image which is named and has one, and is named in full.

    A URN says publisher and offer; the id of an image says nothing of the plan that it was made with. Azure refuses a
    plan for an image that has none. Source: Azure documentation, "Supply Azure Marketplace purchase plan
    information"; "Common error codes for Azure virtual machines", VMMarketplaceInvalidInput.
    """
    for path, node in _nodes(cluster):
        plan = node.image_plan
        if plan is None:
            continue
        if node.image is None:
            reason, remedy = "it is the plan of an image, and no image is named", "add image, or remove it"
        elif _is_refused(node, Why.NOT_TAKEN):
            reason, remedy = f"{node.image} has no purchase plan, and Azure refuses one for it", "remove it"
        elif image_reference(node.image) is None:
            continue  # another rule
        elif _plan(node) is None:
            missing = [key for key in ("publisher", "product") if getattr(plan, key) is None]
            reason = f"the id of an image does not tell the plan's {' and '.join(missing)}"
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
    """The terms of a purchase plan are accepted for the subscription before the first machine is made.

    Otherwise `pulumi up`, or the launch of nodes, fails with MarketplacePurchaseEligibilityFailed. What a publisher
    asks for its image is not in the cost of a plan. Source: Azure documentation, "Find and use Azure Marketplace VM
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
            reason="Azure makes no machine with it until its terms are accepted for the subscription; what"
            " the publisher asks for the image is not in the cost shown",
            remedy=f"type this once: {plan.terms_command}",
        )


def _nodes(cluster: AzureClusterSpec) -> Iterator[tuple[Path, AzureHeadNode | AzureLoginNodes | AzureQueue]]:
    """What may name an image, and where."""
    yield ("head_node",), cluster.head_node
    if cluster.login_nodes:
        yield ("login_nodes",), cluster.login_nodes
    for index, queue in enumerate(cluster.queues):
        yield ("queues", index), queue


def _plan(node: AzureHeadNode | AzureLoginNodes | AzureQueue) -> PurchasePlan | None:
    """The plan that is named, in full; None if it can't be."""
    plan = node.image_plan
    if plan is None:
        return None
    return purchase_plan(node.image, name=plan.name, product=plan.product, publisher=plan.publisher)


def _is_refused(node: AzureHeadNode | AzureLoginNodes | AzureQueue, why: Why) -> bool:
    """Whether its image and its plan don't go together for this reason. Other systems can't be used with any plan."""
    if node.image is None or other_system(node.image) is not None:
        return False
    return any(each.why is why for each in plan_refusals(node.image, has_plan=node.image_plan is not None))
