from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation

from hpc_components.aws.plan.machines import Disk, machine_uses
from hpc_components.aws.plan.types import INSTANCE, LOAD_BALANCER
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import Group, ServiceUse

_NAT_GATEWAY = "aws:ec2/natGateway:NatGateway"


def service_uses(resources: Resources) -> Iterator[ServiceUse]:
    for use in machine_uses(resources):
        for disk in use.disks:
            yield from disk_uses(disk, f"disks of {use.what}", use.resource, use.idle, use.full, use.group)
    for kind, (what, item, group) in _FLAT.items():
        for each in resources.of_type(kind):
            yield _steady(f"{what} {each.name}", each, item, group)
    yield from _address_uses(resources)


_GP3_FREE_IOPS, _GP3_FREE_THROUGHPUT = 3000, 125
"""IOPS and MiB/s included with every gp3 volume. Source: Amazon EBS user guide, "General Purpose SSD volumes"."""


def disk_uses(
    disk: Disk, what: str, resource: str, idle: int, full: int, group: Group = "storage"
) -> Iterator[ServiceUse]:
    """Yield the billed storage, IOPS and throughput of identical disks. `idle` and `full` are the minimum and maximum
    number of disks.
    """
    parts = {"storage": disk.gib}
    if disk.type == "gp3":
        parts["iops"] = max(0, (disk.iops or 0) - _GP3_FREE_IOPS)
        parts["throughput"] = max(0, (disk.throughput or 0) - _GP3_FREE_THROUGHPUT)
    elif disk.type in ("io1", "io2"):
        parts["iops"] = disk.iops or 0
    for part, quantity in parts.items():
        if quantity:
            item = f"ebs.{disk.type}.{part}"
            name = f"{what}, {disk.type} {part.replace('iops', 'IOPS')}"
            yield ServiceUse(
                what=name, resource=resource, item=item, idle=quantity * idle, full=quantity * full, group=group
            )


_FLAT: Mapping[str, tuple[str, str, Group]] = {
    _NAT_GATEWAY: ("NAT gateway", "nat_gateway.hour", "network"),
    "aws:ec2/eip:Eip": ("public address", "public_ipv4.hour", "network"),
    "aws:secretsmanager/secret:Secret": ("secret", "secrets_manager.secret", "other"),
    "aws:kms/key:Key": ("key", "kms.key", "other"),
}


def _address_uses(resources: Resources) -> Iterator[ServiceUse]:
    """Yield load balancers, interface endpoints, and public addresses that aren't separate resources."""
    for each in resources.of_type(INSTANCE):
        if each.inputs.get("associatePublicIpAddress") is True:
            yield _steady(f"public address of {each.name}", each, "public_ipv4.hour", "network")
    for each in resources.of_type(LOAD_BALANCER):
        if each.text("loadBalancerType") == "network":
            yield _steady(f"load balancer {each.name}", each, "nlb.hour", "access")
        if each.inputs.get("internal") is not True:
            zones = len(each.inputs.get("subnets") or each.inputs.get("subnetMappings") or ()) or 1
            yield _steady(f"public addresses of {each.name}", each, "public_ipv4.hour", "access", zones)
    for each in resources.of_type("aws:ec2/vpcEndpoint:VpcEndpoint"):
        if each.text("vpcEndpointType") == "Interface":
            zones = len(each.inputs.get("subnetIds") or ()) or 1
            yield _steady(f"endpoint {each.name}", each, "interface_endpoint.hour", "network", zones)


def _steady(what: str, resource: Resource, item: str, group: Group, quantity: int = 1) -> ServiceUse:
    return ServiceUse(what=what, resource=resource.urn, item=item, idle=quantity, full=quantity, group=group)


def not_counted(resources: Resources, products: Iterable[str]) -> Iterator[str]:
    """Yield the items that are billed by usage, so that a plan doesn't show their cost. The items in `products` are
    included.
    """
    if resources.of_type(_NAT_GATEWAY):
        yield "data through NAT gateways"
    yield from products
    if resources.of_type("aws:cloudwatch/logGroup:LogGroup"):
        yield "logs"


def monthly_budgets(resources: Resources) -> Iterator[Decimal]:
    for budget in resources.of_type("aws:budgets/budget:Budget"):
        if budget.inputs.get("limitUnit") == "USD" and budget.inputs.get("timeUnit") == "MONTHLY":
            try:
                yield Decimal(str(budget.inputs.get("limitAmount")))
            except InvalidOperation:  # the amount is known only after the update
                continue
