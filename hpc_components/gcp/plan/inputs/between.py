from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Network

from hpc_components.gcp.catalog.zones import region_of
from hpc_components.gcp.plan.types import (
    ADDRESS,
    DISK,
    FIREWALL,
    FORWARDING_RULE,
    MACHINE,
    NETWORK,
    RANGE,
    SUBNET,
    TEMPLATES,
)
from hpc_components.preview.inputs.input_facts import CheckBetween
from hpc_components.preview.inputs.input_fault import PropertyFault, property_fault
from hpc_components.preview.nested import items, text_at
from hpc_components.preview.recording import RecordedResource, Recording
from hpc_components.preview.resources import UNKNOWN
from hpc_components.spec.input_rules import FaultKind

_PEERING = "gcp:servicenetworking/connection:Connection"
_ROUTER = "gcp:compute/router:Router"

_PROFILES = {"IRDMA": "vpc-falcon", "MRDMA": "vpc-roce"}
"""Maps each card type to the suffix of its network profile. Source: VPC documentation, "Network profiles for
RDMA"."""


def _place(resource: RecordedResource) -> str | None:
    zone, region = text_at(resource.inputs, "zone"), text_at(resource.inputs, "region")
    return region_of(zone) if zone else region


def _needed(recording: Recording, resource: RecordedResource, key: str, *types: str) -> list[RecordedResource]:
    urns = resource.property_dependencies.get(key, ())
    return [each for each in recording.resources if each.urn in urns and each.type in types]


def _in_another_region(key: str) -> CheckBetween:
    def check(resource: RecordedResource, recording: Recording) -> Iterator[PropertyFault]:
        here = _place(resource)
        for subnet in _needed(recording, resource, key, SUBNET):
            there = text_at(subnet.inputs, "region")
            if here and there and here != there:
                reason = f"comes from subnet {subnet.name} in {there}, but this resource is in {here}"
                yield property_fault(key, None, reason, "use a subnet in this resource's region")

    return check


def _disks(resource: RecordedResource, recording: Recording) -> Iterator[PropertyFault]:
    zone = text_at(resource.inputs, "zone")
    for disk in _needed(recording, resource, "attachedDisks", DISK):
        there = text_at(disk.inputs, "zone")
        if zone and there and zone != there:
            reason = f"has disk {disk.name} in {there}, but the machine is in {zone}"
            yield property_fault("attachedDisks", None, reason, "create both in the same zone")


def _cards(resource: RecordedResource, recording: Recording) -> Iterator[PropertyFault]:
    """Refuse RDMA cards that have no network with the profile for their card type and the machine's zone.

    Machines that use existing networks are skipped, because the profiles of these networks are unknown.
    """
    found, here = items(resource.inputs, "networkInterfaces"), _place(resource)
    networks = _networks(recording, resource)
    if any(text_at(each, key) not in (None, UNKNOWN) for each in found for key in ("network", "subnetwork")):
        return
    profiles = [text_at(each.inputs, "networkProfile") or "" for each in networks]
    for index, each in enumerate(found):
        kind = text_at(each, "nicType")
        ending = _PROFILES.get(kind or "")
        if ending is None or not networks:
            continue
        path, remedy = f"networkInterfaces[{index}].network", f"create a network with the profile `<zone>-{ending}`"
        fitting = [profile.rpartition("/")[2] for profile in profiles if profile.endswith(f"-{ending}")]
        if not fitting:
            yield property_fault(path, None, f"is not a network with a profile for cards of type {kind}", remedy)
        elif here and not any(profile.startswith(f"{here}-") for profile in fitting):
            yield property_fault(path, None, f"has the profile {fitting[0]}, but the machine is in {here}", remedy)
        else:
            continue
        return  # a machine has up to eight such cards, but one finding is enough


def _networks(recording: Recording, resource: RecordedResource) -> list[RecordedResource]:
    subnets = _needed(recording, resource, "networkInterfaces", SUBNET)
    direct = _needed(recording, resource, "networkInterfaces", NETWORK)
    by_subnet = [each for subnet in subnets for each in _needed(recording, subnet, "network", NETWORK)]
    return list({each.urn: each for each in (*direct, *by_subnet)}.values())


def _in_profile_network(resource: RecordedResource, recording: Recording) -> Iterator[PropertyFault]:
    """Refuse routers, NAT and firewall rules in a network with a network profile.

    Source: VPC documentation, "Network profiles for RDMA".
    """
    for network in _needed(recording, resource, "network", NETWORK):
        profile = text_at(network.inputs, "networkProfile")
        if profile:
            reason = (
                f"is {network.name}, whose profile {profile.rpartition('/')[2]} does not allow routers or "
                "firewall rules"
            )
            yield property_fault("network", None, reason, "leave it out")


def _overlap(resource: RecordedResource, recording: Recording) -> Iterator[PropertyFault]:
    """Refuse ranges that overlap another range in the same network, including those for Google's services."""
    networks = {each.urn for each in _needed(recording, resource, "network", NETWORK)}
    mine, key = _range(resource), "ipCidrRange" if resource.type == SUBNET else "address"
    for other in (*recording.all(SUBNET), *recording.all(RANGE)):
        theirs = _range(other)
        same = networks & {each.urn for each in _needed(recording, other, "network", NETWORK)}
        if other.urn < resource.urn and same and mine and theirs and mine.overlaps(theirs):
            reason = f"overlaps {theirs}, the range of {other.name}"
            yield property_fault(key, resource.inputs.get(key), reason, "use another range")


def _range(resource: RecordedResource) -> IPv4Network | None:
    given: Mapping[str, object] = resource.inputs
    text = (
        given.get("ipCidrRange") if resource.type == SUBNET else f"{given.get('address')}/{given.get('prefixLength')}"
    )
    try:
        return IPv4Network(str(text))
    except ValueError:
        return None


def after_peering(key: str) -> CheckBetween:
    """Return a check that requires a file system to depend on its network's connection to Google's services.

    Source: Managed Lustre documentation, "Configure a VPC network"; Filestore documentation, "Private services
    access".
    """

    def check(resource: RecordedResource, recording: Recording) -> Iterator[PropertyFault]:
        networks = _needed(recording, resource, key, NETWORK)
        before = {each.urn for each in _before(recording, resource) if each.type == _PEERING}
        if networks and not before:
            reason = "does not include a connection for private services access, which the file system needs"
            yield property_fault(
                "dependsOn", None, reason, f"create a connection in {networks[0].name} first", FaultKind.MISSING
            )

    return check


def _before(recording: Recording, resource: RecordedResource) -> Iterable[RecordedResource]:
    by_urn = {each.urn: each for each in recording.resources}
    found: dict[str, RecordedResource] = {}
    todo = [resource]
    while todo:
        each = todo.pop()
        for urn in (*each.depends_on, *([each.parent] if each.parent else [])):
            if urn in by_urn and urn not in found:
                found[urn] = by_urn[urn]
                todo.append(by_urn[urn])
    return found.values()


BETWEEN: Mapping[str, tuple[CheckBetween, ...]] = {
    ADDRESS: (_in_another_region("subnetwork"),),
    FIREWALL: (_in_profile_network,),
    FORWARDING_RULE: (_in_another_region("subnetwork"),),
    MACHINE: (_in_another_region("networkInterfaces"), _disks, _cards),
    RANGE: (_overlap,),
    SUBNET: (_overlap,),
    _ROUTER: (_in_profile_network,),
    **{template: (_in_another_region("networkInterfaces"), _cards) for template in TEMPLATES},
}
