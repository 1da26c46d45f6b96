from decimal import Decimal

NANO_PER_USD = 10**9
"""Amounts are whole numbers of nano-dollars, so that sums are exact."""


def dollars(nano_usd: int) -> Decimal:
    return Decimal(nano_usd) / NANO_PER_USD


def told(nano_usd: int) -> str:
    """Return an amount for people, e.g. `60,000 USD` or `0.40 USD`."""
    amount = dollars(nano_usd)
    whole = amount == amount.to_integral_value()
    return f"{amount:,.0f} USD" if whole else f"{amount:,.2f} USD"
