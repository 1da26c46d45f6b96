from collections.abc import Iterable, Iterator
from ipaddress import ip_address, ip_network

from hpc_components.aws.plan.types import SUBNET, VPC
from hpc_components.preview.picture.cards import Card, Network, Placed, Subnet
from hpc_components.preview.resources import Resource, Resources

_INTERNET_GATEWAY = "aws:ec2/internetGateway:InternetGateway"
_ROUTE_TABLE = "aws:ec2/routeTable:RouteTable"


def network(resources: Resources) -> Network:
    vpcs = resources.of_type(VPC)
    ranges = ", ".join(str(vpc.inputs.get("cidrBlock", "")) for vpc in vpcs)
    public = _public_subnets(resources)
    return Network(
        title=f"VPC {ranges}".strip() if vpcs else "existing VPC",
        subnets=tuple(
            Subnet(zone=_zone(each), cidr=str(each.inputs.get("cidrBlock", "")), public=each.urn in public)
            for each in resources.of_type(SUBNET)
        ),
    )


def placed(resources: Resources, cards: Iterable[tuple[Resource, Card]]) -> Iterator[Placed]:
    """Yield each card with the zones of its resource's subnets. If the plan doesn't contain the subnets, `zones` is
    empty.
    """
    public = _public_subnets(resources)
    for resource, card in cards:
        subnets = _subnets_of(resources, resource)
        is_public = any(subnet.urn in public for subnet in subnets)
        yield Placed(
            card=card,
            zones=tuple(dict.fromkeys(map(_zone, subnets))),
            public=is_public or (not subnets and card.kind == "nat"),
        )


def ssh_sources(resources: Resources) -> Iterator[str]:
    """Yield the address ranges that ingress rules admit to port 22, except the VPC's own range."""
    inside = {vpc.text("cidrBlock") for vpc in resources.of_type(VPC)}
    for rule in resources.of_type("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"):
        source = rule.text("cidrIpv4") or rule.text("cidrIpv6")
        if rule.number("fromPort") == 22 and source and source not in inside:
            yield source


def _public_subnets(resources: Resources) -> set[str]:
    """Return the URNs of the subnets whose route table has a route to an internet gateway."""
    routes = (*resources.of_type("aws:ec2/route:Route"), *resources.of_type(_ROUTE_TABLE))
    found = [each for each in routes if resources.needed(each, _INTERNET_GATEWAY)]
    tables = {each.urn for each in found if each.type == _ROUTE_TABLE}
    tables |= {table.urn for each in found for table in resources.needed(each, _ROUTE_TABLE)}
    return {
        subnet.urn
        for each in resources.of_type("aws:ec2/routeTableAssociation:RouteTableAssociation")
        if any(table.urn in tables for table in resources.needed(each, _ROUTE_TABLE))
        for subnet in resources.needed(each, SUBNET)
    }


def _subnets_of(resources: Resources, resource: Resource) -> list[Resource]:
    """Return the subnet that contains the resource's fixed address. If the resource has no fixed address, return the
    resource's own subnets, or those of its first child that has any.
    """
    whole = (resource, *resources.below(resource))
    addresses = [str(address) for part in whole for address in part.inputs.get("privateIps") or ()]
    by_address = [subnet for address in addresses if (subnet := _holding(resources, address))]
    taken = (resources.needed(part, SUBNET) for part in whole)
    return by_address[:1] or list(next(filter(None, taken), ()))


def _holding(resources: Resources, address: str) -> Resource | None:
    for subnet in resources.of_type(SUBNET):
        cidr = subnet.text("cidrBlock")
        try:
            if cidr and ip_address(address) in ip_network(cidr):
                return subnet
        except ValueError:  # the address or range is known only after the update
            continue
    return None


def _zone(subnet: Resource) -> str | None:
    return subnet.text("availabilityZoneId") or subnet.text("availabilityZone")
