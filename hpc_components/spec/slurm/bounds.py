"""Bounds of numbers in slurm.conf, from Slurm itself or its manual."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records
from hpc_components.spec.slurm.keys import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmBounds:
    """The bounds of one key; None for a side without a bound."""

    name: str
    scope: Scope
    least: int | None = None
    most: int | None = None
    outside: Literal["fatal", "refused", "changed"]
    """Effect of a number outside: a daemon does not start, jobs are refused, or Slurm uses another number."""
    because: str
    """The effect as a sentence."""
    source: str
    as_of: str


def slurm_bounds(scope: Scope, name: str) -> SlurmBounds | None:
    """Return the bounds of the key, in any case; None if only its type bounds it."""
    return _bounds().get((scope, name.lower()))


@cache
def _bounds() -> dict[tuple[Scope, str], SlurmBounds]:
    found = [SlurmBounds(scope=record.pop("kind"), **record) for record in records("bounds", __file__)]
    return {(one.scope, one.name.lower()): one for one in found}
