from collections.abc import Iterator

from hpc_components.azure.plan.machines import most_of
from hpc_components.azure.plan.types import (
    FLEET,
    HEAD_NODE,
    LOAD_BALANCER,
    LOGIN_NODES,
    MACHINE,
    NAT_GATEWAY,
    PUBLIC_ADDRESS,
    SCALE_SET,
)
from hpc_components.preview.nested import items, number_at, text_at
from hpc_components.preview.picture.cards import Card
from hpc_components.preview.resources import Resource, Resources


def standing_cards(resources: Resources) -> Iterator[tuple[Resource, Card]]:
    for each in resources.of_type(NAT_GATEWAY):
        yield each, Card(kind="nat", title="NAT gateway", lines=("outbound access for the subnets",))
    for each in resources.of_type("azure-native:network:BastionHost"):
        yield each, Card(kind="server", title="Bastion", lines=("access for administrators",))
    for each in resources.of_type(LOAD_BALANCER):
        reach = "open to the internet" if resources.needed(each, PUBLIC_ADDRESS) else "inside the network"
        yield each, Card(kind="balancer", title="Load balancer", lines=(reach,))
    for each in resources.of_type(HEAD_NODE):
        yield each, _head(resources, each)
    for each in resources.of_type(MACHINE):
        if resources.owner(each, HEAD_NODE) is None:
            size = text_at(each.inputs, "hardwareProfile.vmSize")
            yield each, Card(kind="server", title=each.name, lines=(size or "virtual machine",))
    for each in resources.of_type(SCALE_SET):
        if resources.owner(each, FLEET) is None:
            yield each, _scale_set(resources, each)


def _head(resources: Resources, head: Resource) -> Card:
    parts = list(resources.below(head))
    sizes = (text_at(part.inputs, "hardwareProfile.vmSize") for part in parts)
    fronts = (front for part in parts for front in items(part.inputs, "ipConfigurations"))
    addresses = (text_at(front, "privateIPAddress") for front in fronts)
    lines = [next(filter(None, sizes), None), next(filter(None, addresses), None)]
    chips = ("public address",) if any(part.type == PUBLIC_ADDRESS for part in parts) else ()
    return Card(kind="head", title="Head node", lines=tuple(filter(None, lines)), chips=chips)


def _scale_set(resources: Resources, scale_set: Resource) -> Card:
    fewest, most = number_at(scale_set.inputs, "sku.capacity") or 0, most_of(resources, scale_set)
    count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    ours = resources.owner(scale_set, LOGIN_NODES) is not None
    size = text_at(scale_set.inputs, "sku.name") or "machines"
    return Card(kind="login", title="Login nodes" if ours else scale_set.name, lines=(f"{count} × {size}",))
