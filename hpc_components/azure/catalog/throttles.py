"""How often Azure Resource Manager answers: buckets of tokens by operation and scope."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttle:
    """One bucket: calls at once, and calls per minute after these."""

    key: str
    """Operation and scope, as in `scale_set.update/resource`."""
    burst: int
    per_minute: int
    source: str
    as_of: str
    notes: str = ""
    unsure: Sequence[str] = ()


@cache
def throttles() -> tuple[Throttle, ...]:
    """All buckets."""
    return tuple(Throttle(**record) for record in records("throttles", __file__))


def throttle(operation: str, scope: Literal["resource", "subscription"]) -> Throttle:
    """The bucket of an operation for one machine or scale set (`resource`), or for all of a subscription in a region.

    KeyError: the catalogue has none for that operation and scope.
    """
    return {each.key: each for each in throttles()}[f"{operation}/{scope}"]
