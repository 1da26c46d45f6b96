from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hpc_components.catalog import HOURS_PER_MONTH, Price, Purchase, machine, price, service_price
from hpc_components.preview.budget import budget_of
from hpc_components.preview.clouds import reader_of, title_of
from hpc_components.preview.rates import CONTRACT_NOTE, NO_RATES, Rates, contract_price, is_contract
from hpc_components.preview.resources import Resources
from hpc_components.preview.uses import Group, MachineUse, ServiceUse

_HOUR, _MONTH = Decimal("0.0001"), Decimal("0.01")

_MODES: dict[str, Purchase] = {
    "on_demand": "on_demand",
    "reservation": "on_demand",
    "flex_start": "on_demand",
    "spot": "spot",
    "capacity_block": "capacity_block",
}
"""Maps each purchase option to the one whose list price applies. Reservations are billed at the on-demand price, and
flex-start machines cost at most that much."""


_EVERYWHERE = ("data sent to the internet and between zones",)
_ANYWAY = ("taxes, discounts and savings plans",)
"""Cost factors that no plan includes, because they depend on the customer's contract."""


@dataclass(frozen=True, kw_only=True)
class _Line:
    what: str
    resource: str
    idle: int
    full: int
    price: Price
    notes: tuple[str, ...]
    group: Group

    def hourly(self, quantity: int) -> Decimal:
        usd = Decimal(str(self.price.usd)) * quantity
        return usd if self.price.unit.endswith("hour") else usd / HOURS_PER_MONTH


def cost_of(
    resources: Resources, cloud: str, region: str, elsewhere: Sequence[str] = (), rates: Rates = NO_RATES
) -> dict[str, Any]:
    """Return the idle and full cost of a plan in USD and plain JSON types: at list prices, except for machines that
    have one of the `rates`.

    - `idle` and `full`: the total cost with every queue at its minimum and maximum number of nodes. If `at_least` is
      set, the total is too low because prices are missing.
    - `unknown`: the missing prices, with the reasons
    - `budget`: the result of `budget_of`
    - `lines`: the cost of each item. `group` is the item's purpose: `compute`, `access`, `storage`, `network` or
      `other`. `unsure` marks prices that are for another region, come from a doubtful source, or fluctuate (spot),
      and `notes` gives the reasons. `basis` is `contract` for a price from `rates`, and absent from others.
    - `queues`: each queue's prices per node-hour and core-hour, with `basis` as in lines
    - `not_counted`: what else will be on the bill. If `elsewhere` lists any regions, a note is included, because
      resources in those regions are priced as if they were in `region`.
    """
    reader = reader_of(cloud)
    machines = tuple(reader.machines(resources))
    lines: list[_Line] = []
    unknown: list[dict[str, str]] = []
    missing_idle = False
    for use in machines:
        found, reason = _machine_line(use, cloud, region, rates)
        if found:
            lines.append(found)
        elif use.full:
            unknown.append({"what": use.what, "resource": use.resource, "reason": reason})
            missing_idle |= use.idle > 0
    for use in reader.services(resources):
        found = _service_line(use, cloud, region)
        if found:
            lines.append(found)
        else:
            reason = f"the catalogue has no price for {use.item}"
            unknown.append({"what": use.what, "resource": use.resource, "reason": reason})
            missing_idle |= use.idle > 0
    idle = sum((line.hourly(line.idle) for line in lines), Decimal(0))
    full = sum((line.hourly(line.full) for line in lines), Decimal(0))
    return {
        "currency": "USD",
        "region": region,
        "hours_per_month": HOURS_PER_MONTH,
        "idle": _total(idle, at_least=missing_idle),
        "full": _total(full, at_least=bool(unknown)),
        "budget": budget_of(reader.budgets(resources), full),
        "lines": [_plain(line) for line in lines],
        "queues": [_queue(use, cloud, region, rates) for use in machines if use.queue],
        "not_counted": [*_other_regions(elsewhere), *_EVERYWHERE, *reader.not_counted(resources), *_ANYWAY],
        "unknown": unknown,
    }


def _other_regions(elsewhere: Sequence[str]) -> list[str]:
    return (
        [f"different prices and quotas in {', '.join(elsewhere)}, where part of the stack is located"]
        if elsewhere
        else []
    )


def _machine_price(use: MachineUse, cloud: str, region: str, rates: Rates) -> Price | None:
    if use.machines and use.machines[0] in rates:
        return contract_price(rates[use.machines[0]], region)
    facts = machine(cloud, use.machines[0]) if use.machines else None
    return price(facts, region, _MODES[use.purchase]) if facts and use.purchase in _MODES else None


def _machine_line(use: MachineUse, cloud: str, region: str, rates: Rates) -> tuple[_Line | None, str]:
    """Return (cost line, empty string) for a group of machines, or (None, reason) if the price is missing."""
    if not use.machines:
        return None, "the machine type can't be determined from the plan"
    name = use.machines[0]
    found = _machine_price(use, cloud, region, rates)
    if found is None and use.purchase == "capacity_block":
        return (
            None,
            f"{name} in a capacity block is paid for when the block is bought, at the price that "
            f"{title_of(cloud)} quotes",
        )
    if found is None:
        return None, f"the catalogue has no {use.purchase.replace('_', '-')} price for {name}"
    notes = _notes(found, region)
    if use.purchase == "reservation":
        notes.append("a reservation is billed for as long as it exists, even if its nodes are not running")
    if use.purchase == "flex_start" and not is_contract(found):
        notes.append("an upper limit: flex-start machines cost less, but the exact discount is unknown")
    if use.purchase == "spot" and not is_contract(found):
        notes.append("an estimate: spot prices change hourly")
    if len(use.machines) > 1:
        notes.append(f"alternative machine types are billed at their own prices: {', '.join(use.machines[1:])}")
    line = _Line(
        what=f"{use.what}: {name}",
        resource=use.resource,
        idle=use.idle,
        full=use.full,
        price=found,
        notes=tuple(notes),
        group=use.group,
    )
    return line, ""


def _service_line(use: ServiceUse, cloud: str, region: str) -> _Line | None:
    found = service_price(cloud, use.item, region)
    if found is None:
        return None
    notes = (*_notes(found, region), *filter(None, [use.note]))
    return _Line(
        what=use.what,
        resource=use.resource,
        idle=use.idle,
        full=use.full,
        price=found,
        notes=notes,
        group=use.group,
    )


def _notes(found: Price, region: str) -> list[str]:
    notes = [] if found.exact_region else [f"price for {found.region}, because none is known for {region}"]
    return [*notes, "not confirmed by a primary source"] if found.unsure else notes


def _plain(line: _Line) -> dict[str, Any]:
    return {
        "what": line.what,
        "group": line.group,
        "resource": line.resource,
        "quantity_idle": line.idle,
        "quantity": line.full,
        "unit_price": line.price.usd,
        "unit": line.price.unit,
        "idle_hour": _rounded(line.hourly(line.idle), _HOUR),
        "full_hour": _rounded(line.hourly(line.full), _HOUR),
        "idle_month": _rounded(line.hourly(line.idle) * HOURS_PER_MONTH, _MONTH),
        "full_month": _rounded(line.hourly(line.full) * HOURS_PER_MONTH, _MONTH),
        "source": line.price.source,
        "as_of": line.price.as_of,
        "unsure": line.price.unsure or not line.price.exact_region or bool(line.notes),
        "notes": [CONTRACT_NOTE, *line.notes] if is_contract(line.price) else list(line.notes),
        **_basis(line.price),
    }


def _queue(use: MachineUse, cloud: str, region: str, rates: Rates) -> dict[str, Any]:
    found = _machine_price(use, cloud, region, rates)
    facts = machine(cloud, use.machines[0]) if use.machines else None
    usd = Decimal(str(found.usd)) if found else None
    return {
        "queue": use.queue,
        "machine": use.machines[0] if use.machines else None,
        "purchase": use.purchase,
        "min": use.idle,
        "max": use.full,
        "cores": facts.cores if facts else None,
        "node_hour": _rounded(usd, _HOUR) if usd is not None else None,
        "core_hour": _rounded(usd / facts.cores, _HOUR) if usd is not None and facts else None,
        "unsure": found is not None
        and not is_contract(found)
        and (found.unsure or not found.exact_region or use.purchase == "spot"),
        **(_basis(found) if found else {}),
    }


def _basis(found: Price) -> dict[str, str]:
    return {"basis": "contract"} if is_contract(found) else {}


def _total(hour: Decimal, *, at_least: bool) -> dict[str, float | bool]:
    month = hour * HOURS_PER_MONTH
    return {"hour": _rounded(hour, _HOUR), "month": _rounded(month, _MONTH), "at_least": at_least}


def _rounded(value: Decimal, step: Decimal) -> float:
    return float(value.quantize(step))
