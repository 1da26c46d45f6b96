"""Provides the bounds of numeric slurm.conf settings, taken from Slurm itself or its manual."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records
from hpc_components.spec.slurm.keys import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmBounds:
    """A key's minimum and maximum values. Either is None if there is no such bound."""

    name: str
    scope: Scope
    least: int | None = None
    most: int | None = None
    outside: Literal["fatal", "refused", "changed"]
    """Effect of a number outside the bounds: `fatal` if a daemon doesn't start, `refused` if jobs are refused, or
    `changed` if Slurm uses another number."""
    because: str
    """The effect, worded as a sentence."""
    source: str
    as_of: str


def slurm_bounds(scope: Scope, name: str) -> SlurmBounds | None:
    """Return a key's bounds, ignoring case, or None if it has no bounds other than those of its type."""
    return _bounds().get((scope, name.lower()))


@cache
def _bounds() -> dict[tuple[Scope, str], SlurmBounds]:
    found = [SlurmBounds(scope=record.pop("kind"), **record) for record in records("bounds", __file__)]
    return {(one.scope, one.name.lower()): one for one in found}
