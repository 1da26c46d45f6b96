"""How long a monthly budget lasts, in the words that rules and plans share."""

from hpc_components.catalog import HOURS_PER_MONTH

__all__ = ["MONTH", "span"]

MONTH = HOURS_PER_MONTH / 24
"""Days of a month."""


def span(days: float) -> str:
    """`13 days`; below two days, in hours."""
    return f"{days:.0f} days" if days >= 2 else f"{days * 24:.0f} hours"
