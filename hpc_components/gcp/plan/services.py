from collections.abc import Iterator
from decimal import Decimal
from math import ceil

from hpc_components.gcp.disks.offer import disk_type
from hpc_components.gcp.plan.machines import Disk, machine_uses
from hpc_components.gcp.plan.types import (
    ADDRESS,
    BUCKET,
    FORWARDING_RULE,
    MACHINE,
    NAT,
    SECRET,
)
from hpc_components.preview.nested import items, text_at
from hpc_components.preview.resources import Resource, Resources
from hpc_components.preview.uses import Group, ServiceUse

_NAT_MACHINES = 32
"""Number of machines beyond which a NAT gateway's hourly charge no longer increases. Source: Cloud NAT pricing."""
_RULES_PER_CHARGE = 5
"""Number of forwarding rules that a single hourly charge covers.

Source: Cloud Load Balancing pricing, forwarding rules.
"""


def service_uses(resources: Resources) -> Iterator[ServiceUse]:
    """Yield the billed services except secrets: first the machines' disks, then separate resources such as
    gateways.
    """
    machines = tuple(machine_uses(resources))
    for use in machines:
        for disk in use.disks:
            yield from disk_uses(disk, f"disks of {use.what}", use.resource, use.idle, use.full, use.group)
    idle, full = (min(_NAT_MACHINES, sum(each)) for each in ([u.idle for u in machines], [u.full for u in machines]))
    for each in resources.of_type(NAT):
        what = f"Cloud NAT {each.name}"
        yield ServiceUse(what=what, resource=each.urn, item="nat.hour", idle=idle, full=full, group="network")
    for each in external_addresses(resources):
        yield _steady(f"public address of {each.name}", each, "public_address.hour", "network")
    if rules := resources.of_type(FORWARDING_RULE):
        quantity = ceil(len(rules) / _RULES_PER_CHARGE)
        yield _steady(f"load balancer {rules[0].name}", rules[0], "load_balancer.hour", "access", quantity)


def secret_uses(resources: Resources) -> Iterator[ServiceUse]:
    """Yield the billed secrets, which are listed last in a plan's costs."""
    for each in resources.of_type(SECRET):
        yield _steady(f"secret {each.name}", each, "secret.version", "other")


def external_addresses(resources: Resources) -> Iterator[Resource]:
    """Yield reserved public addresses, instances with an ephemeral public address, and gateways."""
    for each in resources.of_type(ADDRESS):
        if (each.text("addressType") or "EXTERNAL") == "EXTERNAL":
            yield each
    for each in resources.of_type(MACHINE):
        cards = items(each.inputs, "networkInterfaces")
        if any("natIp" not in config for card in cards for config in items(card, "accessConfigs")):
            yield each
    yield from (each for each in resources.of_type(NAT) if each.text("natIpAllocateOption") != "MANUAL_ONLY")


def disk_uses(
    disk: Disk, what: str, resource: str, idle: int, full: int, group: Group = "storage"
) -> Iterator[ServiceUse]:
    """Yield what is billed for disks: GiB, plus IOPS and throughput beyond the included amounts.

    `idle` and `full` are the numbers of disks when the cluster is idle and when it is full.
    """
    kind = disk_type(disk.type)
    free_iops, free_throughput = (kind.free_iops, kind.free_mibps) if kind else (0, 0)
    parts = {
        "storage": disk.gib,
        "iops": max(0, (disk.iops or 0) - free_iops),
        "throughput": max(0, (disk.throughput or 0) - free_throughput),
    }
    for part, quantity in parts.items():
        if quantity:
            yield ServiceUse(
                what=f"{what}, {disk.type} {part.replace('iops', 'IOPS')}",
                resource=resource,
                item=f"disk.{disk.type}.{part}",
                idle=quantity * idle,
                full=quantity * full,
                group=group,
            )


def _steady(what: str, resource: Resource, item: str, group: Group, quantity: int = 1) -> ServiceUse:
    return ServiceUse(what=what, resource=resource.urn, item=item, idle=quantity, full=quantity, group=group)


def not_counted(resources: Resources) -> Iterator[str]:
    if resources.of_type(NAT):
        yield "data through Cloud NAT"
    if resources.of_type(FORWARDING_RULE):
        yield "data through load balancers"
    if resources.of_type(BUCKET):
        yield "data stored in buckets, and requests to them"
    if resources.of_type("gcp:logging/projectBucketConfig:ProjectBucketConfig"):
        yield "logs"


def monthly_budgets(resources: Resources) -> Iterator[Decimal]:
    """Yield the amounts of monthly budgets in USD. A budget without a currency is assumed to be in USD."""
    for budget in resources.of_type("gcp:billing/budget:Budget"):
        amount = text_at(budget.inputs, "amount.specifiedAmount.units")
        currency = text_at(budget.inputs, "amount.specifiedAmount.currencyCode") or "USD"
        monthly = (text_at(budget.inputs, "budgetFilter.calendarPeriod") or "MONTH") == "MONTH"
        if amount and amount.isdecimal() and currency == "USD" and monthly:
            yield Decimal(amount)
