from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records
from hpc_components.spec.slurm.keys import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmBounds:
    """Minimum and maximum values of a slurm.conf key. A bound is None if the key doesn't have it."""

    name: str
    scope: Scope
    least: int | None = None
    most: int | None = None
    outside: Literal["fatal", "refused", "changed"]
    """Effect of a value outside the bounds: `fatal` if a daemon doesn't start, `refused` if jobs are refused, or
    `changed` if Slurm uses a different value."""
    because: str
    """The effect in words, for messages."""
    source: str
    as_of: str


def slurm_bounds(scope: Scope, name: str) -> SlurmBounds | None:
    """Return a key's bounds, or None if only its type limits the value. The case of `name` is ignored."""
    return _bounds().get((scope, name.lower()))


@cache
def _bounds() -> dict[tuple[Scope, str], SlurmBounds]:
    found = [SlurmBounds(scope=record.pop("kind"), **record) for record in records("bounds", __file__)]
    return {(one.scope, one.name.lower()): one for one in found}
