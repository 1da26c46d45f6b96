"""How long a plan's budget lasts if every queue is full."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any


def budget_of(monthly: Iterable[Decimal], full_hour: Decimal) -> dict[str, Any] | None:
    """Return the monthly budget in USD, and `full_days`, the number of days in which the full cluster spends it.

    The smallest of several budgets counts, because it is spent first. `full_days` is None if the full cluster has no
    known cost. None without a monthly budget in USD.
    """
    least = min(monthly, default=None)
    if least is None:
        return None
    return {"monthly": float(least), "full_days": round(float(least / full_hour / 24), 1) if full_hour else None}
