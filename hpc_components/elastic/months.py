"""Months of the calendar in UTC, in which budgets renew."""

from calendar import timegm
from time import gmtime

NAMES = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def month_of(now: float) -> str:
    """Return the month in UTC, e.g. `2026-11`. Months sort as text."""
    at = gmtime(now)
    return f"{at.tm_year:04}-{at.tm_mon:02}"


def begins(now: float) -> int:
    """Return the first second of the month, in seconds since the epoch."""
    at = gmtime(now)
    return timegm((at.tm_year, at.tm_mon, 1, 0, 0, 0))


def ends(now: float) -> int:
    """Return the first second of the next month, in seconds since the epoch."""
    at = gmtime(now)
    return timegm((at.tm_year + at.tm_mon // 12, at.tm_mon % 12 + 1, 1, 0, 0, 0))


def name_of(now: float) -> str:
    return NAMES[gmtime(now).tm_mon - 1]
