"""Wording for how long a monthly budget lasts, for rules and plans."""

from hpc_components.catalog import HOURS_PER_MONTH

DAYS_PER_MONTH = HOURS_PER_MONTH / 24
"""Average length of a month in days."""


def span(days: float) -> str:
    """Return a number of days in words: `13 days`; below two days, in hours."""
    return f"{days:.0f} days" if days >= 2 else f"{days * 24:.0f} hours"
