from collections.abc import Iterable
from decimal import Decimal
from typing import Any


def budget_of(monthly: Iterable[Decimal], full_hour: Decimal) -> dict[str, Any] | None:
    """Return the monthly budget in USD and, as `full_days`, the number of days that it lasts if the cluster is full.

    If there are several budgets, the smallest is used, because it is exhausted first. `full_days` is None if the full
    cluster's cost is unknown. Return None if there is no monthly budget in USD.
    """
    least = min(monthly, default=None)
    if least is None:
        return None
    return {"monthly": float(least), "full_days": round(float(least / full_hour / 24), 1) if full_hour else None}
