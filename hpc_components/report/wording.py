"""Common notation of amounts, counts and places in reports."""

from collections.abc import Mapping
from typing import Any

from hpc_components.wording import plural


def hour(usd: float | None) -> str:
    """Return an hourly price with three decimals, `?` if it is unknown."""
    return "?" if usd is None else f"{usd:,.3f}"


def month(usd: float) -> str:
    """Return a larger amount, with two decimals."""
    return f"{usd:,.2f}"


def count(number: int, noun: str) -> str:
    """Return a count with its noun: `1 resource`, `45 resources`; `info` has no plural."""
    return f"{number:,} {noun}" if noun == "info" else plural(number, noun)


def place(finding: Mapping[str, Any]) -> str:
    """Return the place of a finding as far as it is known: `stacks/config/Pulumi.aws-cfd.yaml:12:5`."""
    parts = (finding.get(key) for key in ("file", "line", "column"))
    return ":".join(str(part) for part in parts if part is not None)
