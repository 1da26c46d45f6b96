"""What a plan reads off the toy cloud's resources: see `PlanReader`, whose answers these are."""

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from clouds.toy.catalog import vcpu_quota
from hpc_components.catalog import machine
from hpc_components.preview.files import USER_DATA, asset_text
from hpc_components.preview.ingress import Ingress
from hpc_components.preview.inputs.input_facts import InputFacts
from hpc_components.preview.inputs.input_fault import PropertyFault
from hpc_components.preview.nested import is_open
from hpc_components.preview.picture.cards import Card, Fleet, Network, Placed, Subnet
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import MachineUse, QuotaNeed, ServiceUse
from hpc_components.spec.input_rules import FaultKind

BUCKET = "gcp:storage/bucket:Bucket"
DISK = "gcp:compute/disk:Disk"
FIREWALL = "gcp:compute/firewall:Firewall"
FLEET = "hpc:toy:ComputeFleet"
INSTANCE = "gcp:compute/instance:Instance"
NODE = "hpc:toy:Node"
SUBNET = "gcp:compute/subnetwork:Subnetwork"


class ToyPlanReader(PlanReader):
    """All of it in one place: there is not much."""

    secrets: Mapping[str, re.Pattern[str]] = {"a key of the toy cloud": re.compile(r"\btoykey-[0-9a-f]{8}\b")}

    def machines(self, resources: Resources) -> Iterator[MachineUse]:
        for each in resources.of_type(INSTANCE):
            yield MachineUse(
                what=f"{_role(resources, each)} node",
                resource=each.urn,
                machines=tuple(filter(None, [each.text("machineType")])),
                purchase="on_demand",
                idle=1,
                full=1,
            )
        for component, fleet in _fleets(resources):
            purchase = "reservation" if fleet.purchase == "lease" else fleet.purchase
            yield MachineUse(
                what=f"queue {fleet.queue}",
                resource=component.urn,
                machines=fleet.machines,
                purchase=purchase,
                idle=fleet.min,
                full=fleet.max,
                queue=fleet.queue,
            )

    def services(self, resources: Resources) -> Iterator[ServiceUse]:
        for each in resources.of_type(DISK):
            gib = each.number("size") or 0
            kind = f"disk.{each.text('type')}"
            yield ServiceUse(
                what=f"disk {each.name}", resource=each.urn, item=kind, idle=gib, full=gib, group="storage"
            )

    def not_counted(self, resources: Resources) -> Iterable[str]:
        return ("what is in buckets",) if resources.of_type(BUCKET) else ()

    def budgets(self, resources: Resources) -> Iterator[Decimal]:
        for each in resources.of_type("gcp:billing/budget:Budget"):
            yield Decimal(each.inputs["amount"]["specifiedAmount"]["units"])

    def quotas(self, resources: Resources) -> Iterator[QuotaNeed]:
        for use in self.machines(resources):
            for name in use.machines[:1]:
                if facts := machine("toy", name):
                    quota = vcpu_quota(facts, "spot" if use.purchase == "spot" else "on_demand")
                    what = f"{use.what}: {use.full} × {name}"
                    yield QuotaNeed(quota=quota, what=what, need=use.full * facts.vcpus)

    def files(self, resource: Resource) -> Iterator[tuple[str, str]]:
        if resource.type == "gcp:storage/bucketObject:BucketObject" and (
            text := asset_text(resource.inputs.get("source"))
        ):
            yield resource.text("name") or resource.name, text
        if script := resource.text("metadataStartupScript"):
            yield USER_DATA, script

    def network(self, resources: Resources) -> Network:
        subnets = tuple(
            Subnet(zone=None, cidr=each.text("ipCidrRange") or "", public=False) for each in resources.of_type(SUBNET)
        )
        return Network(title=f"Network {', '.join(each.cidr for each in subnets)}", subnets=subnets)

    def standing(self, resources: Resources) -> Iterator[Placed]:
        for each in resources.of_type(INSTANCE):
            role = _role(resources, each)
            (card,) = each.inputs["networkInterfaces"]
            lines = (each.text("machineType") or "", card.get("networkIp") or "")
            yield Placed(
                card=Card(kind=role, title=f"{role.capitalize()} node", lines=tuple(filter(None, lines))),
                zones=(each.text("zone"),),
                public=bool(card.get("accessConfigs")),
            )

    def fleets(self, resources: Resources) -> Iterator[Fleet]:
        return (fleet for _, fleet in _fleets(resources))

    def service_cards(self, resources: Resources, linked: Iterable[str]) -> Iterator[Card]:
        for each in resources.of_type(BUCKET):
            yield Card(kind="bucket", title=each.name, lines=("pond://",))

    def ssh_sources(self, resources: Resources) -> Iterator[str]:
        for each in resources.of_type(FIREWALL):
            if any("22" in allowed.get("ports", ()) for allowed in each.inputs["allows"]):
                yield from each.inputs["sourceRanges"]

    def ingress(self, resource: Resource) -> Iterator[Ingress]:
        if resource.type == FIREWALL:
            for allowed in resource.inputs["allows"]:
                for ports in allowed.get("ports", ["0-65535"]):
                    low, _, high = ports.partition("-")
                    sources = tuple(resource.inputs["sourceRanges"])
                    yield Ingress(sources=sources, low=int(low), high=int(high or low), path="sourceRanges")

    def holds_data(self, resource: Resource) -> bool:
        return resource.type == DISK

    def inputs(self) -> InputFacts:
        return InputFacts(everywhere=(_labels,))


def _fleets(resources: Resources) -> Iterator[tuple[Resource, Fleet]]:
    for each in resources.of_type(FLEET):
        told = each.inputs
        yield (
            each,
            Fleet(
                queue=told["queue"],
                machines=tuple(told["machines"]),
                zones=tuple(told["zones"]),
                min=each.number("min") or 0,
                max=each.number("max") or 0,
                purchase=told["purchase"],
                fabric=told["fabric"],
                placement="raft" if told["fabric"] else None,
            ),
        )


def _role(resources: Resources, instance: Resource) -> str:
    around = resources.owner(instance, NODE)
    return (around.text("role") if around else None) or "server"


def _labels(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    for key, value in inputs.get("labels", {}).items():
        if re.search(r"[^a-z0-9_-]", key if is_open(value) else f"{key}{value}"):
            yield PropertyFault(
                kind=FaultKind.MALFORMED,
                path=f"labels.{key}",
                value=value,
                reason="labels have small letters, digits, _ and - only",
                remedy="make it by `Tags.of`",
            )


READER = ToyPlanReader()
