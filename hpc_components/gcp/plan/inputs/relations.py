from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network
from typing import Any

from hpc_components.gcp.catalog.labels import wrong_label_key, wrong_label_value
from hpc_components.gcp.catalog.limits import service_limit
from hpc_components.gcp.catalog.names import NameOf, wrong_name
from hpc_components.gcp.catalog.resource_ids import id_parts
from hpc_components.gcp.catalog.zones import region_of
from hpc_components.gcp.network.vpc_limits import NetworkOrder, network_refusals
from hpc_components.gcp.plan.inputs.machines import cards, host, metadata, purchase
from hpc_components.gcp.plan.types import FIREWALL, MACHINE, NETWORK, SUBNET, TEMPLATES
from hpc_components.preview.inputs.input_facts import Check
from hpc_components.preview.inputs.input_fault import property_fault
from hpc_components.preview.nested import items, number_at, text_at
from hpc_components.preview.resources import SECRET, UNKNOWN
from hpc_components.spec.input_rules import FaultKind


def named(key: str, kind: NameOf) -> Check:

    def check(inputs: Mapping[str, Any]) -> Iterator[Any]:
        name = text_at(inputs, key)
        if name and (wrong := wrong_name(kind, name)):
            yield property_fault(key, name, *wrong, FaultKind.NOT_ALLOWED)

    return check


def _network(inputs: Mapping[str, Any]) -> Iterator[Any]:
    profile, mtu = text_at(inputs, "networkProfile"), number_at(inputs, "mtu")
    if profile is None or mtu is None:
        return  # without a profile, the range in `known_values.json` applies
    order = NetworkOrder(mtu=mtu, profile=profile.rpartition("/")[2])
    for each in network_refusals(order):
        if each.field == "mtu":
            allowed = f"use {each.allowed[0]}"
            yield property_fault("mtu", mtu, "can't be used with a network profile for RDMA", allowed)


def _range(inputs: Mapping[str, Any]) -> Iterator[Any]:
    cidr = text_at(inputs, "ipCidrRange")
    try:
        order = NetworkOrder(cidr=IPv4Network(cidr or ""))
    except ValueError:
        return  # another check covers the format
    for each in network_refusals(order):
        if each.field == "cidr":
            kept = isinstance(each.allowed[0], str)
            reason = f"overlaps {each.allowed[0]}, which Google reserves" if kept else "is too small for a subnet"
            yield property_fault(
                "ipCidrRange", cidr, reason, "use another range" if kept else f"use /{each.allowed[0]}"
            )


def _regions(inputs: Mapping[str, Any]) -> Iterator[Any]:
    zone = text_at(inputs, "zone")
    region = region_of(zone) if zone else text_at(inputs, "region")
    for index, each in enumerate(items(inputs, "networkInterfaces")):
        subnet = text_at(each, "subnetwork")
        parts = id_parts("subnet", subnet) if subnet else None
        if parts and region and parts["region"] != region:
            path = f"networkInterfaces[{index}].subnetwork"
            yield property_fault(
                path, subnet, f"is in {parts['region']}, but the machine is in {region}", "name one there"
            )


def _rule(inputs: Mapping[str, Any]) -> Iterator[Any]:
    """Refuse firewall rules that contradict themselves.

    A rule can't both allow and deny traffic, an egress rule can't have sources, and no rule can combine service
    accounts with tags. Source: Compute API v1, Firewalls.
    """
    if items(inputs, "allows") and items(inputs, "denies"):
        yield property_fault("denies", None, "can't be in the same rule as `allows`", "create two rules")
    if text_at(inputs, "direction") == "EGRESS":
        for key in ("sourceRanges", "sourceTags", "sourceServiceAccounts"):
            if items(inputs, key):
                yield property_fault(key, None, "can't be used with EGRESS", "use `destination_ranges`")
    accounts = [key for key in ("sourceServiceAccounts", "targetServiceAccounts") if items(inputs, key)]
    tags = [key for key in ("sourceTags", "targetTags") if items(inputs, key)]
    if accounts and tags:
        yield property_fault(
            tags[0], None, f"can't be combined with {accounts[0]}", "use tags or service accounts, not both"
        )


def labels(inputs: Mapping[str, Any]) -> Iterator[Any]:
    """Refuse invalid labels and too many labels.

    Source: Resource Manager documentation, "Requirements for labels".
    """
    own = inputs.get("labels")
    given = inputs.get("userLabels", own)  # a notification channel's `labels` are its settings, not its labels
    if not isinstance(given, Mapping):
        return
    most = service_limit("labels.per_resource")
    if len(given) > most:
        reason, remedy = f"has {len(given)} labels, but at most {most} are allowed", "leave some out"
        yield property_fault("labels", None, reason, remedy, FaultKind.OUT_OF_RANGE)
    name = "labels" if given is own else "userLabels"
    for key, value in given.items():
        wrong = wrong_label_key(key) or (wrong_label_value(value) if isinstance(value, str) else None)
        if wrong and value not in (SECRET, UNKNOWN):
            yield property_fault(f"{name}.{key}", value, *wrong, FaultKind.NOT_ALLOWED)


_MACHINE: tuple[Check, ...] = (purchase, host, cards, metadata, _regions)

RELATIONS: Mapping[str, tuple[Check, ...]] = {
    FIREWALL: (_rule, named("name", "resource")),
    MACHINE: (*_MACHINE, named("name", "resource")),
    NETWORK: (_network, named("name", "resource")),
    SUBNET: (_range, named("name", "resource")),
    **dict.fromkeys(TEMPLATES, _MACHINE),
    "gcp:projects/iAMCustomRole:IAMCustomRole": (named("roleId", "custom_role"),),
    "gcp:secretmanager/secret:Secret": (named("secretId", "secret"),),
    "gcp:serviceaccount/account:Account": (named("accountId", "service_account"),),
}
