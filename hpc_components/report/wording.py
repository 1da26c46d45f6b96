from collections.abc import Mapping
from typing import Any

from hpc_components.wording import plural


def hour(usd: float | None) -> str:
    return "?" if usd is None else f"{usd:,.3f}"


def month(usd: float) -> str:
    return f"{usd:,.2f}"


def count(number: int, noun: str) -> str:
    """Return a count with its noun, e.g. `1 resource` or `45 resources`. The noun `info` has no plural."""
    return f"{number:,} {noun}" if noun == "info" else plural(number, noun)


def place(finding: Mapping[str, Any]) -> str:
    """Return where a finding is, e.g. `stacks/config/Pulumi.aws-cfd.yaml:12:5`, omitting unknown parts."""
    parts = (finding.get(key) for key in ("file", "line", "column"))
    return ":".join(str(part) for part in parts if part is not None)
