from collections.abc import Iterator

from hpc_components.aws.catalog.efa import efa_interfaces
from hpc_components.aws.catalog.quotas import service_quota
from hpc_components.aws.plan.machines import AwsMachineUse, machine_uses
from hpc_components.aws.plan.types import LAUNCH_TEMPLATE, LOAD_BALANCER, SUBNET, VPC
from hpc_components.catalog import Purchase, machine, quota
from hpc_components.preview.resources import Resources
from hpc_components.preview.uses import QuotaNeed


def quota_needs(resources: Resources) -> Iterator[QuotaNeed]:
    machines = tuple(machine_uses(resources))
    for use in machines:
        yield from _vcpus(use)
    for use in machines:
        yield _service("network_interfaces", use.what, use.full * _interfaces(use))
    yield from _counts(resources)
    yield from _storage(machines)


def _service(key: str, what: str, need: float) -> QuotaNeed:
    return QuotaNeed(quota=service_quota(key), what=what, need=need)


_MARKETS: dict[str, Purchase] = {"spot": "spot", "capacity_block": "capacity_block"}


def _vcpus(use: AwsMachineUse) -> Iterator[QuotaNeed]:
    """Yield, for each quota, the largest need among the alternative machine types."""
    largest: dict[str, QuotaNeed] = {}
    for name in use.machines:
        facts = machine("aws", name)
        found = quota(facts, _MARKETS.get(use.purchase, "on_demand")) if facts else None
        if facts and found:
            need = use.full * facts.vcpus
            if found.key not in largest or need > largest[found.key].need:
                largest[found.key] = QuotaNeed(quota=found, what=f"{use.what}: {use.full} × {name}", need=need)
    yield from largest.values()


def _interfaces(use: AwsMachineUse) -> int:
    return max((len(efa_interfaces(name)) for name in use.machines if use.efa), default=1) or 1


_COUNTED = {
    VPC: "vpcs",
    "aws:ec2/eip:Eip": "elastic_ips",
    "aws:ec2/internetGateway:InternetGateway": "internet_gateways",
    SUBNET: "subnets",
    "aws:ec2/securityGroup:SecurityGroup": "security_groups",
    LAUNCH_TEMPLATE: "launch_templates",
    "aws:ec2/placementGroup:PlacementGroup": "placement_groups",
}


def _counts(resources: Resources) -> Iterator[QuotaNeed]:
    for kind, key in _COUNTED.items():
        for each in resources.of_type(kind):
            yield _service(key, each.name, 1)
    for each in resources.of_type(LOAD_BALANCER):
        if each.text("loadBalancerType") == "network":
            yield _service("network_load_balancers", each.name, 1)
    for each in resources.of_type("aws:ec2/vpcEndpoint:VpcEndpoint"):
        kind = "interface_endpoints" if each.text("vpcEndpointType") == "Interface" else "gateway_endpoints"
        yield _service(kind, each.name, 1)


def _storage(machines: tuple[AwsMachineUse, ...]) -> Iterator[QuotaNeed]:
    for use in machines:
        gib = use.full * sum(disk.gib for disk in use.disks if disk.type == "gp3")
        yield _service("gp3_storage", f"disks of {use.what}", round(gib / 1024, 2))
