import re
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Network

from hpc_components.gcp.catalog.firewalls import lets_in, ports_of, sources_of
from hpc_components.gcp.network.vpc_limits import source_ranges
from hpc_components.gcp.plan.types import FIREWALL, NETWORK, RANGE, SUBNET, VPC
from hpc_components.preview.nested import items
from hpc_components.preview.picture.cards import Card, Network, Placed, Subnet
from hpc_components.preview.resources import Resource, Resources

_SSH = 22
_ZONE = re.compile(r"[a-z]+-[a-z]+\d+-[a-z]")


def network(resources: Resources) -> Network:
    """Return the cluster's network and its new subnets. Networks with an RDMA profile are left out.

    Google's subnets are regional, so they have no zone.
    """
    plain = [each for each in resources.of_type(NETWORK) if not each.inputs.get("networkProfile")]
    ranges = [cidr for each in resources.of_type(VPC) if (cidr := each.text("cidr"))]
    known = {each.urn for each in plain}
    subnets = (
        each for each in resources.of_type(SUBNET) if any(n.urn in known for n in resources.needed(each, NETWORK))
    )
    return Network(
        title=f"VPC network {', '.join(ranges)}".strip() if plain else "existing VPC network",
        subnets=tuple(Subnet(zone=None, cidr=each.text("ipCidrRange") or "", public=False) for each in subnets),
    )


def placed(resources: Resources, cards: Iterable[tuple[Resource, Card]]) -> Iterator[Placed]:
    """Yield each summary card with its resource's zones. If the resource has no zones, use those of its first nested
    resource that has any.
    """
    for resource, card in cards:
        parts = (zones_of(part) for part in (resource, *resources.below(resource)))
        yield Placed(card=card, zones=next(filter(None, parts), (None,)))


def zones_of(resource: Resource) -> tuple[str, ...]:
    """Return a resource's zones, or an empty tuple if it is regional or the zones are unknown."""
    several = tuple(map(str, items(resource.inputs, "distributionPolicyZones")))
    named = (resource.text("zone"), resource.text("location"))
    return several or tuple(each for each in named if each and _ZONE.fullmatch(each))


def ssh_sources(resources: Resources) -> Iterator[str]:
    """Yield the address ranges that may connect to port 22, except for those of the network itself and of Google's
    services.
    """
    own = [*_own_ranges(resources), *map(IPv4Network, (*source_ranges("iap"), *_HEALTH))]
    for rule in resources.of_type(FIREWALL):
        if lets_in(rule.inputs) and any(low <= _SSH <= high for low, high in ports_of(rule.inputs)):
            yield from (each for each in sources_of(rule.inputs) if not _is_in(each, own))


_HEALTH = ("35.191.0.0/16", "130.211.0.0/22", "209.85.152.0/22", "209.85.204.0/22")
"""Address ranges of Google's health checks.

Source: Cloud Load Balancing documentation, "Firewall rules", probe IP ranges.
"""


def _own_ranges(resources: Resources) -> Iterator[IPv4Network]:
    texts = [each.text("cidr") for each in resources.of_type(VPC)]
    texts += [each.text("ipCidrRange") for each in resources.of_type(SUBNET)]
    texts += [f"{each.text('address')}/{each.number('prefixLength')}" for each in resources.of_type(RANGE)]
    for text in texts:
        try:
            yield IPv4Network(text or "")
        except ValueError:  # not known yet
            continue


def _is_in(source: str, ranges: Iterable[IPv4Network]) -> bool:
    try:
        network = IPv4Network(source, strict=False)
    except ValueError:  # IPv6, or not known yet
        return ":" not in source
    return any(network.subnet_of(each) for each in ranges)
