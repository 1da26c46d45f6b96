"""Which service quotas a plan needs, against what a new AWS account has."""

from collections.abc import Iterator
from typing import Any

from hpc_components.aws.catalog.efa import efa_interfaces
from hpc_components.aws.catalog.quotas import service_quota
from hpc_components.catalog import Purchase, Quota, machine, quota
from hpc_components.preview.resources import Resources
from hpc_components.preview.usage import MachineUse, machine_uses

__all__ = ["quotas_of"]


def quotas_of(resources: Resources) -> list[dict[str, Any]]:
    """Every quota that the plan counts against when all queues are full, as plain JSON, those to ask for first.

    `ask` says that the need is above the default of a new account (or that there is no default): look at the
    account's own quota and ask for more. `for` says what needs how much. Of a queue with machines that stand in for
    one another, the largest of each quota counts, because only one of them runs.
    """
    needs: dict[str, tuple[Quota, list[dict[str, Any]]]] = {}
    for found, what, need in (*_vcpus(resources), *_interfaces(resources), *_counts(resources), *_storage(resources)):
        if need:
            needs.setdefault(found.key, (found, []))[1].append({"what": what, "need": need})
    entries = [_entry(found, parts) for found, parts in needs.values()]
    return sorted(entries, key=lambda entry: (not entry["ask"], entry["service"], entry["name"]))


def _entry(found: Quota, parts: list[dict[str, Any]]) -> dict[str, Any]:
    need = round(sum(part["need"] for part in parts), 2)
    return {
        "code": found.code,
        "service": found.service,
        "name": found.name,
        "unit": found.unit,
        "need": need,
        "default": found.default,
        "ask": found.default is None or need > found.default,
        "for": sorted(parts, key=lambda part: (-part["need"], part["what"])),
        "source": found.source,
        "as_of": found.as_of,
        "unsure": bool(found.unsure),
    }


_Need = tuple[Quota, str, float]


def _vcpus(resources: Resources) -> Iterator[_Need]:
    for use in machine_uses(resources):
        largest: dict[str, _Need] = {}
        for name in use.machines:
            facts = machine("aws", name)
            found = quota(facts, _MARKETS.get(use.purchase, "on_demand")) if facts else None
            if facts and found:
                need = use.full * facts.vcpus
                if found.key not in largest or need > largest[found.key][2]:
                    largest[found.key] = (found, f"{use.what}: {use.full} × {name}", need)
        yield from largest.values()


_MARKETS: dict[str, Purchase] = {"spot": "spot", "capacity_block": "capacity_block"}


def _interfaces(resources: Resources) -> Iterator[_Need]:
    for use in machine_uses(resources):
        yield service_quota("network_interfaces"), use.what, use.full * _cards(use)


def _cards(use: MachineUse) -> int:
    """Network interfaces of one machine, those of the fabric among them: the most that any of its types has."""
    return max((len(efa_interfaces(name)) for name in use.machines if use.efa), default=1) or 1


_COUNTED = {
    "aws:ec2/vpc:Vpc": "vpcs",
    "aws:ec2/eip:Eip": "elastic_ips",
    "aws:ec2/internetGateway:InternetGateway": "internet_gateways",
    "aws:ec2/subnet:Subnet": "subnets",
    "aws:ec2/securityGroup:SecurityGroup": "security_groups",
    "aws:ec2/launchTemplate:LaunchTemplate": "launch_templates",
    "aws:ec2/placementGroup:PlacementGroup": "placement_groups",
}


def _counts(resources: Resources) -> Iterator[_Need]:
    for kind, key in _COUNTED.items():
        for each in resources.of(kind):
            yield service_quota(key), each.name, 1
    for each in resources.of("aws:lb/loadBalancer:LoadBalancer"):
        if each.text("loadBalancerType") == "network":
            yield service_quota("network_load_balancers"), each.name, 1
    for each in resources.of("aws:ec2/vpcEndpoint:VpcEndpoint"):
        kind = "interface_endpoints" if each.text("vpcEndpointType") == "Interface" else "gateway_endpoints"
        yield service_quota(kind), each.name, 1


def _storage(resources: Resources) -> Iterator[_Need]:
    for each in resources.of("aws:fsx/lustreFileSystem:LustreFileSystem"):
        deployment = (each.text("deploymentType") or "SCRATCH_1").lower()
        key = "lustre.scratch" if deployment.startswith("scratch") else f"lustre.{deployment}"
        yield service_quota(key), each.name, each.number("storageCapacity") or 0
    for each in resources.of("aws:fsx/openZfsFileSystem:OpenZfsFileSystem"):
        yield service_quota("openzfs.storage"), each.name, each.number("storageCapacity") or 0
        yield service_quota("openzfs.throughput"), each.name, each.number("throughputCapacity") or 0
    gp3 = service_quota("gp3_storage")
    for use in machine_uses(resources):
        gib = use.full * sum(volume.gib for volume in use.volumes if volume.type == "gp3")
        yield gp3, f"disks of {use.what}", round(gib / 1024, 2)
    for each in resources.of("aws:ebs/volume:Volume"):
        if each.text("type") == "gp3":
            yield gp3, each.name, round((each.number("size") or 0) / 1024, 2)
