"""What a rule of a network security group says, in the names of Resource Manager: who it lets in, on which ports."""

from collections.abc import Iterator, Mapping
from typing import Any

EVERYBODY = "0.0.0.0/0"

_EVERYBODY = ("*", EVERYBODY, "Internet", "Any")
"""Sources that are all addresses of IPv4 to a rule. Source: Azure documentation, "Virtual network service tags"."""


def lets_in(rule: Any) -> bool:
    """Whether it allows TCP from outside; one that denies before it does not count."""
    if not isinstance(rule, Mapping) or (rule.get("access"), rule.get("direction")) != ("Allow", "Inbound"):
        return False
    return str(rule.get("protocol", "*")).lower() in ("*", "tcp")


def ports_of(rule: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """First and last port of each range; all ports for a range that is not known, or where there is none."""
    for ports in _all(rule, "destinationPortRange") or ["*"]:
        low, _, high = ports.partition("-")
        yield (int(low), int(high or low)) if low.isdecimal() else (0, 65535)


def sources_of(rule: Mapping[str, Any]) -> Iterator[str]:
    """Address ranges, `EVERYBODY` among them, and other service tags as they are."""
    for source in _all(rule, "sourceAddressPrefix"):
        yield EVERYBODY if source in _EVERYBODY else source


def _all(rule: Mapping[str, Any], name: str) -> list[str]:
    """What stands under a name, and in the list of its plural."""
    one, more = rule.get(name), rule.get(f"{name}es" if name.endswith("x") else f"{name}s")
    return [str(each) for each in (one, *(more if isinstance(more, list | tuple) else ())) if each]
