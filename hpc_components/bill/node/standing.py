"""How much of each budget is left."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from hpc_components.bill.node.associations import Association, Key
from hpc_components.bill.node.described import Budget, Described
from hpc_components.bill.node.money import exact, micros


@dataclass(frozen=True, kw_only=True)
class Standing:
    """A budget today, in millionths of a dollar. `limit` is the sum of `spent`, `reserved` and `left`."""

    kind: str
    name: str
    account: str
    user: str
    period: str
    limit: int
    spent: int
    reserved: int
    renews: str | None
    """Day on which a monthly budget renews, e.g. `2026-12-01`, or None for a total."""

    @property
    def left(self) -> int:
        """What new jobs may cost. It is negative if the budget was lowered, or overspent."""
        return self.limit - self.spent - self.reserved


def standings(described: Described, found: Mapping[Key, Association], today: datetime.date) -> list[Standing]:
    """Return the budgets that have an association in Slurm. What is left is what Slurm's own limit leaves.

    Where jobs end at the limit, Slurm reserves nothing for them.
    """
    budgets = [(budget, found[budget.association]) for budget in described.budgets if budget.association in found]
    reserves = described.at_limit == "finish"
    return [_standing(budget, one, one.reserved if reserves else 0, today) for budget, one in budgets]


def _standing(budget: Budget, association: Association, reserved: int, today: datetime.date) -> Standing:
    limit = budget.micros if association.limit is None else association.limit
    return Standing(
        kind=budget.kind,
        name=budget.name,
        account=budget.association[0],
        user=budget.association[1],
        period=budget.period,
        limit=budget.micros,
        # the limit in Slurm differs from the budget where usage does: `settle`
        spent=budget.micros - (limit - association.used),
        reserved=reserved,
        renews=str(next_month(today)) if budget.period == "month" else None,
    )


def next_month(day: datetime.date) -> datetime.date:
    return (day.replace(day=1) + datetime.timedelta(days=31)).replace(day=1)


def to_json(one: Standing) -> dict[str, str | None]:
    return {
        "kind": one.kind,
        "name": one.name,
        "account": one.account,
        "user": one.user,
        "period": one.period,
        "limit_usd": exact(one.limit),
        "spent_usd": exact(one.spent),
        "reserved_usd": exact(one.reserved),
        "left_usd": exact(one.left),
        "renews": one.renews,
    }


def from_json(one: Mapping[str, str]) -> Standing:
    return Standing(
        kind=one["kind"],
        name=one["name"],
        account=one["account"],
        user=one["user"],
        period=one["period"],
        limit=micros(one["limit_usd"]),
        spent=micros(one["spent_usd"]),
        reserved=micros(one["reserved_usd"]),
        renews=one["renews"],
    )
