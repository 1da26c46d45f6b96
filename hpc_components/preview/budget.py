"""How long a plan's budget lasts when every queue is full."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

__all__ = ["budget_of"]


def budget_of(monthly: Iterable[Decimal], full_hour: Decimal) -> dict[str, Any] | None:
    """The monthly budget in USD, and `full_days`, the days in which the full cluster spends it.

    `full_days` is None where the full cluster costs nothing that is known. None without a monthly budget in USD.
    Of several budgets the smallest counts: it is the first to be spent.
    """
    least = min(monthly, default=None)
    if least is None:
        return None
    return {"monthly": float(least), "full_days": round(float(least / full_hour / 24), 1) if full_hour else None}
