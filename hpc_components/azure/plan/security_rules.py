"""Rules of network security groups, alone or in a group: who they let in, and on which ports."""

from collections.abc import Iterator
from typing import Any

from hpc_components.preview.nested import items, text_at

__all__ = ["EVERYBODY", "lets_in", "ports_of", "sources_of"]

EVERYBODY = "0.0.0.0/0"

_EVERYBODY = ("*", EVERYBODY, "Internet", "Any")
"""Sources that are all addresses of IPv4 to a rule. Source: Azure documentation, "Virtual network service tags"."""


def lets_in(rule: Any) -> bool:
    """Whether it allows TCP from outside; one that denies before it does not count."""
    allows = text_at(rule, "access") == "Allow" and text_at(rule, "direction") == "Inbound"
    return allows and (text_at(rule, "protocol") or "*").lower() in ("*", "tcp")


def ports_of(rule: Any) -> Iterator[tuple[int, int]]:
    """First and last port of each range; all of them where the ranges are not known."""
    one = text_at(rule, "destinationPortRange")
    ranges = (*([one] if one else []), *items(rule, "destinationPortRanges"))
    for ports in ranges or ("*",):
        low, _, high = str(ports).partition("-")
        yield (int(low), int(high or low)) if low.isdecimal() else (0, 65535)


def sources_of(rule: Any) -> Iterator[str]:
    """Address ranges, and service tags but for those that are `EVERYBODY`."""
    one = text_at(rule, "sourceAddressPrefix")
    for source in (*([one] if one else []), *items(rule, "sourceAddressPrefixes")):
        yield EVERYBODY if source in _EVERYBODY else str(source)
