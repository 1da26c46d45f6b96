from collections.abc import Iterator, Mapping
from typing import Any

EVERYBODY = "0.0.0.0/0"

_TCP = ("tcp", "all", "6")


def lets_in(rule: Mapping[str, Any]) -> bool:
    """Return whether a rule is enabled and allows incoming TCP traffic. A rule without a direction is an ingress
    rule.
    """
    ingress = rule.get("direction", "INGRESS") == "INGRESS" and rule.get("disabled") is not True
    return ingress and any(True for _ in _allowed(rule))


def ports_of(rule: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """Yield the first and last port of each TCP port range. Ports that are missing or unknown are treated as all
    ports.
    """
    for allowed in _allowed(rule):
        for ports in _list(allowed.get("ports")) or ["*"]:
            low, _, high = ports.partition("-")
            yield (int(low), int(high or low)) if low.isdecimal() else (0, 65535)


def sources_of(rule: Mapping[str, Any]) -> Iterator[str]:
    """Yield the source ranges. A rule that specifies no sources allows all addresses.

    Source: Compute Engine API reference, Firewalls, sourceRanges.
    """
    named = any(rule.get(key) for key in ("sourceTags", "sourceServiceAccounts"))
    yield from _list(rule.get("sourceRanges")) or ([] if named else [EVERYBODY])


def _allowed(rule: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    allows = rule.get("allows")
    for each in allows if isinstance(allows, list) else ():
        if isinstance(each, Mapping) and str(each.get("protocol", "")).lower() in _TCP:
            yield each


def _list(value: Any) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list | tuple) else []
