from collections.abc import Iterable, Iterator
from itertools import chain

from hpc_components.azure.catalog.security_rules import lets_in, ports_of, sources_of
from hpc_components.azure.plan.types import NETWORK, SECURITY_GROUP, SUBNET
from hpc_components.preview.nested import items
from hpc_components.preview.picture.cards import Card, Network, Placed, Subnet
from hpc_components.preview.resources import Resource, Resources

_SSH = 22
_RULE = "azure-native:network:SecurityRule"


def network(resources: Resources) -> Network:
    networks = resources.of_type(NETWORK)
    ranges = ", ".join(str(each) for one in networks for each in items(one.inputs, "addressSpace.addressPrefixes"))
    return Network(
        title=f"Virtual network {ranges}".strip() if networks else "Existing virtual network",
        subnets=tuple(
            Subnet(zone=None, cidr=str(each.inputs.get("addressPrefix", "")), public=False)
            for each in resources.of_type(SUBNET)
        ),
    )


def placed(resources: Resources, cards: Iterable[tuple[Resource, Card]]) -> Iterator[Placed]:
    """Yield each card with the zones of its resource, or of the resource's first descendant that has zones."""
    for resource, card in cards:
        parts = (zones_of(part) for part in (resource, *resources.below(resource)))
        yield Placed(card=card, zones=next(filter(None, parts), (None,)))


def zones_of(resource: Resource) -> tuple[str, ...]:
    """Return a resource's zones in the notation of descriptions, such as `eastus-1`, or () if the resource has no
    zones.
    """
    region = resource.text("location")
    return tuple(f"{region}-{zone}" for zone in items(resource.inputs, "zones")) if region else ()


def ssh_sources(resources: Resources) -> Iterator[str]:
    """Yield the address ranges that security groups admit on port 22, except the network's own subnets.

    Service tags are left out, except those that mean any source.
    """
    inside = {each.text("addressPrefix") for each in resources.of_type(SUBNET)}
    groups = (items(group.inputs, "securityRules") for group in resources.of_type(SECURITY_GROUP))
    for rule in (*chain.from_iterable(groups), *(each.inputs for each in resources.of_type(_RULE))):
        if lets_in(rule) and any(low <= _SSH <= high for low, high in ports_of(rule)):
            yield from (each for each in sources_of(rule) if each not in inside and each[:1].isdigit())
