"""What a plan's budget is worth: how long it lasts when every queue is full."""

from decimal import Decimal, InvalidOperation
from typing import Any

from hpc_components.preview.resources import Resources

__all__ = ["budget_of"]


def budget_of(resources: Resources, full_hour: Decimal) -> dict[str, Any] | None:
    """The monthly budget in USD, and `full_days`, the days in which the full cluster spends it.

    `full_days` is None where the full cluster costs nothing that is known. None without a monthly budget in USD.
    Several budgets count as the smallest: it is the first to tell.
    """
    limits = []
    for budget in resources.of("aws:budgets/budget:Budget"):
        if budget.inputs.get("limitUnit") == "USD" and budget.inputs.get("timeUnit") == "MONTHLY":
            try:
                limits.append(Decimal(str(budget.inputs.get("limitAmount"))))
            except InvalidOperation:  # not known before the cloud says it
                continue
    if not limits:
        return None
    monthly = min(limits)
    return {"monthly": float(monthly), "full_days": round(float(monthly / full_hour / 24), 1) if full_hour else None}
