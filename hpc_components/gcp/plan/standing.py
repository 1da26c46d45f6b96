from collections.abc import Iterator

from hpc_components.gcp.plan.machines import size_of
from hpc_components.gcp.plan.types import (
    ADDRESS,
    FLEET,
    FORWARDING_RULE,
    GROUPS,
    HEAD_NODE,
    LOGIN_NODES,
    MACHINE,
    NAT,
    TEMPLATES,
)
from hpc_components.preview.nested import items, text_at
from hpc_components.preview.picture.cards import Card
from hpc_components.preview.resources import Resource, Resources


def standing_cards(resources: Resources) -> Iterator[tuple[Resource, Card]]:
    for each in resources.of_type(NAT):
        yield each, Card(kind="nat", title="Cloud NAT", lines=("outbound access for the subnets",))
    for each in resources.of_type(FORWARDING_RULE):
        inside = (each.text("loadBalancingScheme") or "EXTERNAL").startswith("INTERNAL")
        reach = "inside the network" if inside else "open to the internet"
        yield each, Card(kind="balancer", title="Load balancer", lines=(reach,))
    for each in resources.of_type(HEAD_NODE):
        yield each, _head(resources, each)
    for each in resources.of_type(MACHINE):
        if resources.owner(each, HEAD_NODE) is None:
            yield each, Card(kind="server", title=each.name, lines=(each.text("machineType") or "instance",))
    for each in resources.of_type(*GROUPS):
        if resources.owner(each, FLEET) is None:
            yield each, _group(resources, each)


def _head(resources: Resources, head: Resource) -> Card:
    parts = list(resources.below(head))
    machines = (part.text("machineType") for part in parts)
    cards = [card for part in parts for card in items(part.inputs, "networkInterfaces")]
    fixed = (
        part.text("address") for part in parts if part.type == ADDRESS and part.text("addressType") == "INTERNAL"
    )
    addresses = (*(text_at(card, "networkIp") for card in cards), *fixed)
    lines = [next(filter(None, machines), None), next(filter(None, addresses), None)]
    chips = ("public address",) if any(items(card, "accessConfigs") for card in cards) else ()
    return Card(kind="head", title="Head node", lines=tuple(filter(None, lines)), chips=chips)


def _group(resources: Resources, group: Resource) -> Card:
    fewest, most = size_of(resources, group)
    count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    templates = (each for kind in TEMPLATES for each in resources.needed(group, kind))
    machine = next((each.text("machineType") for each in templates), None) or "machines"
    ours = resources.owner(group, LOGIN_NODES) is not None
    return Card(kind="login", title="Login nodes" if ours else group.name, lines=(f"{count} × {machine}",))
