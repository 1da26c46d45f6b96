from hpc_components.catalog import HOURS_PER_MONTH

DAYS_PER_MONTH = HOURS_PER_MONTH / 24


def span(days: float) -> str:
    """Format a number of days, e.g. `13 days`. Spans shorter than two days are given in hours."""
    return f"{days:.0f} days" if days >= 2 else f"{days * 24:.0f} hours"
