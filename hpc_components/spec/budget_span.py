"""The wording for how long a monthly budget lasts, for rules and plans."""

from hpc_components.catalog import HOURS_PER_MONTH

MONTH = HOURS_PER_MONTH / 24
"""Days of a month."""


def span(days: float) -> str:
    """Return a time in words: `13 days`, or in hours below two days."""
    return f"{days:.0f} days" if days >= 2 else f"{days * 24:.0f} hours"
