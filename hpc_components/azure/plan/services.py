from collections.abc import Iterator, Mapping
from decimal import Decimal

from hpc_components.azure.disks.offer import billed_gib, disk_type
from hpc_components.azure.plan.machines import Disk, machine_uses
from hpc_components.azure.plan.types import (
    LOAD_BALANCER,
    NAT_GATEWAY,
    PUBLIC_ADDRESS,
    STORAGE_ACCOUNT,
)
from hpc_components.preview.nested import number_at
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import Group, ServiceUse


def service_uses(resources: Resources) -> Iterator[ServiceUse]:
    for use in machine_uses(resources):
        for disk in use.disks:
            yield from disk_uses(disk, f"disks of {use.what}", use.resource, use.idle, use.full, use.group)
    for kind, (what, item, group) in _FLAT.items():
        for each in resources.of_type(kind):
            yield _steady(f"{what} {each.name}", each, item, group)


_FLAT: Mapping[str, tuple[str, str, Group]] = {
    NAT_GATEWAY: ("NAT gateway", "nat_gateway.hour", "network"),
    PUBLIC_ADDRESS: ("public address", "public_address.hour", "network"),
    LOAD_BALANCER: ("load balancer", "load_balancer.hour", "access"),
    "azure-native:network:BastionHost": ("Bastion", "bastion.standard.hour", "access"),
    "azure-native:network:PrivateEndpoint": ("private endpoint", "private_endpoint.hour", "network"),
}

_FREE_IOPS, _FREE_THROUGHPUT = 3000, 125
"""IOPS and MB/s included with every PremiumV2_LRS disk. Source: Azure documentation, "Azure managed disk types"."""


def disk_uses(
    disk: Disk, what: str, resource: str, idle: int, full: int, group: Group = "storage"
) -> Iterator[ServiceUse]:
    """Yield what Azure bills for disks: either one item for a fixed disk size, or separate items for GiB, IOPS and
    throughput. `idle` and `full` are the minimum and maximum number of disks.
    """
    kind = disk_type(disk.type)
    parts = {f"{billed_gib(kind, disk.gib)}": 1} if kind and kind.billed_gib else {"storage": disk.gib}
    if disk.type == "PremiumV2_LRS":
        parts["iops"] = max(0, (disk.iops or 0) - _FREE_IOPS)
        parts["throughput"] = max(0, (disk.throughput or 0) - _FREE_THROUGHPUT)
    for part, quantity in parts.items():
        if quantity:
            name = f"{what}, {disk.type}" + ("" if part.isdecimal() else f" {part.replace('iops', 'IOPS')}")
            item = f"disk.{disk.type}.{part}"
            yield ServiceUse(
                what=name, resource=resource, item=item, idle=quantity * idle, full=quantity * full, group=group
            )


def _steady(what: str, resource: Resource, item: str, group: Group, quantity: int = 1) -> ServiceUse:
    return ServiceUse(what=what, resource=resource.urn, item=item, idle=quantity, full=quantity, group=group)


def not_counted(resources: Resources) -> Iterator[str]:
    if resources.of_type(NAT_GATEWAY):
        yield "data through NAT gateways"
    if resources.of_type(LOAD_BALANCER):
        yield "data through load balancers"
    if resources.of_type(STORAGE_ACCOUNT):
        yield "data in storage accounts, and requests to them"


def monthly_budgets(resources: Resources) -> Iterator[Decimal]:
    """Yield the amounts of monthly budgets. Amounts are in the billing currency, but are treated as USD."""
    for budget in resources.of_type("azure-native:consumption:Budget"):
        amount = number_at(budget.inputs, "amount")
        if budget.text("timeGrain") == "Monthly" and amount is not None:
            yield Decimal(amount)
