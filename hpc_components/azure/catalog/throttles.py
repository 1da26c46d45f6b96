"""Azure Resource Manager's rate limits, as token buckets by operation and scope."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttle:
    key: str
    """Operation and scope, such as `scale_set.update/resource`."""
    burst: int
    per_minute: int
    source: str
    as_of: str
    notes: str = ""
    unsure: Sequence[str] = ()


@cache
def throttles() -> tuple[Throttle, ...]:
    return tuple(Throttle(**record) for record in records("throttles", __file__))


def throttle(operation: str, scope: Literal["resource", "subscription"]) -> Throttle:
    """Return the token bucket for an operation, either per machine or scale set (`resource`) or per subscription and
    region (`subscription`).

    Raise KeyError if the operation and scope are not in the catalogue.
    """
    return {each.key: each for each in throttles()}[f"{operation}/{scope}"]
