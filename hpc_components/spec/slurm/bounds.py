"""The numbers that settings of slurm.conf may have, where Slurm or its manual sets bounds."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records
from hpc_components.spec.slurm.keys import Scope

__all__ = ["SlurmBounds", "slurm_bounds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmBounds:
    """The bounds of one key; None where there is none."""

    name: str
    scope: Scope
    least: int | None = None
    most: int | None = None
    outside: Literal["fatal", "refused", "changed"]
    """Effect of a number outside: a daemon does not start, jobs are refused, or Slurm uses another number."""
    because: str
    """The same as a sentence."""
    source: str
    as_of: str


def slurm_bounds(scope: Scope, name: str) -> SlurmBounds | None:
    """The bounds of the key of that name, written in any case; None where its type alone bounds it."""
    return _bounds().get((scope, name.lower()))


@cache
def _bounds() -> dict[tuple[Scope, str], SlurmBounds]:
    found = [SlurmBounds(scope=record.pop("kind"), **record) for record in records("bounds", __file__)]
    return {(one.scope, one.name.lower()): one for one in found}
