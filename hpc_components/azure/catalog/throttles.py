"""How often Azure Resource Manager answers: buckets of tokens by operation and scope."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Throttle", "throttle", "throttles"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttle:
    """One bucket: calls at once, and calls per minute after these."""

    operation: str
    """As in `scale_set.update`."""
    scope: str
    """`resource` (that scale set or machine) or `subscription` (in a region)."""
    burst: int
    per_minute: int
    source: str
    as_of: str
    unsure: Sequence[str] = ()


def throttles() -> tuple[Throttle, ...]:
    """All buckets."""
    raise NotImplementedError


def throttle(operation: str, scope: str) -> Throttle:
    """One bucket. KeyError: the catalogue has none for that operation and scope."""
    raise NotImplementedError
