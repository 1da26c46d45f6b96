"""Amounts in millionths of a dollar, as Slurm counts them."""

from collections.abc import Sequence
from decimal import Decimal

MICROS = 10**6
_MICROS_PER_CENT = 10**4


def micros(usd: str) -> int:
    """Convert a decimal number of dollars."""
    return int(Decimal(usd) * MICROS)


def exact(amount: int) -> str:
    """Return dollars without loss, e.g. `7985.004166`."""
    return str(Decimal(amount) / MICROS)


def shown(cents: int) -> str:
    """Format cents for people, e.g. `7,985.00`."""
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100:,}.{abs(cents) % 100:02}"


def dollars(amount: int) -> str:
    """Format an amount for people, rounded to the nearest cent."""
    return shown((2 * amount + _MICROS_PER_CENT) // (2 * _MICROS_PER_CENT))


def in_cents(parts: Sequence[int]) -> list[int]:
    """Round each part to cents, up or down, so that they add up to their rounded sum (largest remainder)."""
    total = (2 * sum(parts) + _MICROS_PER_CENT) // (2 * _MICROS_PER_CENT)
    floors = [part // _MICROS_PER_CENT for part in parts]
    by_remainder = sorted(range(len(parts)), key=lambda at: -(parts[at] % _MICROS_PER_CENT))
    for at in by_remainder[: total - sum(floors)]:
        floors[at] += 1
    return floors
