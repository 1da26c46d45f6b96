"""Puts into words how long a monthly budget lasts, for rules and plans."""

from hpc_components.catalog import HOURS_PER_MONTH

DAYS_PER_MONTH = HOURS_PER_MONTH / 24
"""Average number of days in a month."""


def span(days: float) -> str:
    """Return a time span, given in days, as text, e.g. `13 days`. Spans shorter than two days are expressed in
    hours."""
    return f"{days:.0f} days" if days >= 2 else f"{days * 24:.0f} hours"
