"""Amounts of money as integers, so that sums are exact.

A unit is the cost of one millisecond at one nano-dollar per hour. Every price has at most nine decimals and every
time at most three, so the cost of a machine's life is a whole number of units. Only a division among jobs rounds.
"""

import re
from collections.abc import Sequence

UNITS_PER_USD = 10**9 * 3_600_000

_DECIMAL = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,9})0*)?")


def nano_usd(text: str) -> int:
    """Parse an amount such as `3.06`, in nano-dollars. Raise ValueError for anything else."""
    match = _DECIMAL.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not an amount in USD, such as '3.06'")
    return int(match[1]) * 10**9 + int((match[2] or "").ljust(9, "0"))


def divided(total: int, weights: Sequence[int]) -> list[int]:
    """Divide `total` in proportion to `weights`, whose sum must be positive. The parts add up to `total`."""
    whole, before, seen, parts = sum(weights), 0, 0, []
    for weight in weights:
        seen += weight
        upto = total * seen // whole
        parts.append(upto - before)
        before = upto
    return parts


def shown(amounts: Sequence[int], decimals: int, total: int | None = None) -> list[int]:
    """Round amounts in units to `decimals` decimals of a dollar so that they add up; see `rounded`."""
    return rounded(amounts, UNITS_PER_USD // 10**decimals, total)


def rounded(amounts: Sequence[int], step: int, total: int | None = None) -> list[int]:
    """Divide amounts by `step` so that they add up to `total`, which must be the quotient of their sum rounded down
    or up (None: to the nearest).

    The largest remainders are rounded up; of equal ones, the first.
    """
    floors = [amount // step for amount in amounts]
    missing = (_half_even(sum(amounts), step) if total is None else total) - sum(floors)
    by_remainder = sorted(range(len(amounts)), key=lambda place: (-(amounts[place] % step), place))
    for place in by_remainder[:missing]:
        floors[place] += 1
    return floors


def decimal(amount: int, decimals: int, thousands: str = "") -> str:
    """Write an amount that is an integer of 10^-`decimals` dollars: 123456 with 2 decimals is `1234.56`."""
    whole, rest = divmod(abs(amount), 10**decimals)
    text = f"{whole:,}".replace(",", thousands)
    return ("-" if amount < 0 else "") + (f"{text}.{rest:0{decimals}d}" if decimals else text)


def _half_even(amount: int, step: int) -> int:
    floor, rest = divmod(amount, step)
    return floor + (rest * 2 > step or (rest * 2 == step and floor % 2 == 1))
