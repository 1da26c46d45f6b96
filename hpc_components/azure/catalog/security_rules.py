"""Reads the allowed sources and ports from network security group rules, as Azure Resource Manager represents
them.
"""

from collections.abc import Iterator, Mapping
from typing import Any

EVERYBODY = "0.0.0.0/0"

_EVERYBODY = ("*", EVERYBODY, "Internet", "Any")
"""Rule sources that match all IPv4 addresses. Source: Azure documentation, "Virtual network service tags"."""


def lets_in(rule: Any) -> bool:
    """Return whether the rule allows inbound TCP traffic. Deny rules that take precedence are not considered."""
    if not isinstance(rule, Mapping) or (rule.get("access"), rule.get("direction")) != ("Allow", "Inbound"):
        return False
    return str(rule.get("protocol", "*")).lower() in ("*", "tcp")


def ports_of(rule: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """Yield (first port, last port) for each port range. A missing or unrecognized range means all ports."""
    for ports in _all(rule, "destinationPortRange") or ["*"]:
        low, _, high = ports.partition("-")
        yield (int(low), int(high or low)) if low.isdecimal() else (0, 65535)


def sources_of(rule: Mapping[str, Any]) -> Iterator[str]:
    """Yield the rule's sources, with `EVERYBODY` in place of any source that matches all IPv4 addresses."""
    for source in _all(rule, "sourceAddressPrefix"):
        yield EVERYBODY if source in _EVERYBODY else source


def _all(rule: Mapping[str, Any], name: str) -> list[str]:
    """Return the values of both the singular property and the plural list property."""
    one, more = rule.get(name), rule.get(f"{name}es" if name.endswith("x") else f"{name}s")
    return [str(each) for each in (one, *(more if isinstance(more, list | tuple) else ())) if each]
