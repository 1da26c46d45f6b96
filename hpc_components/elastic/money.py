from decimal import Decimal

NANO_PER_USD = 10**9
"""Amounts are whole numbers of nano-dollars, so that sums are exact."""


def as_text(nano_usd: int) -> str:
    """Return an amount in USD for programs, e.g. `60000` or `0.4`."""
    return f"{(Decimal(nano_usd) / NANO_PER_USD).normalize():f}"


def told(nano_usd: int) -> str:
    """Return an amount for people, e.g. `60,000 USD` or `0.40 USD`."""
    amount = Decimal(nano_usd) / NANO_PER_USD
    whole = amount == amount.to_integral_value()
    return f"{amount:,.0f} USD" if whole else f"{amount:,.2f} USD"
