from collections.abc import Iterator

from hpc_components.aws.plan.types import (
    AUTO_SCALING_GROUP,
    HEAD_NODE,
    INSTANCE,
    LAUNCH_TEMPLATE,
    LOAD_BALANCER,
    LOGIN_NODES,
)
from hpc_components.preview.picture.cards import Card
from hpc_components.preview.resources import Resource, Resources


def standing_cards(resources: Resources) -> Iterator[tuple[Resource, Card]]:
    """Yield cards for all resources in subnets, except fleets."""
    for each in resources.of_type("aws:ec2/natGateway:NatGateway"):
        yield each, Card(kind="nat", title="NAT gateway", lines=("internet access for private subnets",))
    for each in resources.of_type(LOAD_BALANCER):
        reach = "inside the network" if each.inputs.get("internal") is True else "open to the internet"
        yield each, Card(kind="balancer", title="Load balancer", lines=(reach,))
    for each in resources.of_type(HEAD_NODE):
        yield each, _head(resources, each)
    for each in resources.of_type(INSTANCE):
        if resources.owner(each, HEAD_NODE) is None:
            yield each, Card(kind="server", title=each.name, lines=(each.text("instanceType") or "instance",))
    for each in resources.of_type(AUTO_SCALING_GROUP):
        if resources.owner(each, HEAD_NODE) is None:
            yield each, _group(resources, each)


def _head(resources: Resources, head: Resource) -> Card:
    parts = list(resources.below(head))
    types = (part.text("instanceType") for part in parts)
    addresses = (str(address) for part in parts for address in part.inputs.get("privateIps") or ())
    lines = [next(filter(None, types), None), next(addresses, None)]
    chips = ("public address",) if any(part.kind == "Eip" for part in parts) else ()
    return Card(kind="head", title="Head node", lines=tuple(filter(None, lines)), chips=chips)


def _group(resources: Resources, group: Resource) -> Card:
    templates = resources.needed(group, LAUNCH_TEMPLATE)
    kind = next(filter(None, (template.text("instanceType") for template in templates)), "instances")
    fewest, most = group.number("minSize"), group.number("maxSize")
    count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    ours = resources.owner(group, LOGIN_NODES) is not None
    return Card(kind="login", title="Login nodes" if ours else group.name, lines=(f"{count} × {kind}",))
