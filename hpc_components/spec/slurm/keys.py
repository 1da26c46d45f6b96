"""The keys of slurm.conf by release, from Slurm's own source."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records

Scope = Literal["global", "partition", "node"]
"""Place of a key: a line of its own, or a `PartitionName=` or `NodeName=` line."""

KeyType = Literal["text", "flag", "uint16", "uint32", "uint64", "line", "removed"]
"""How Slurm reads a value. `line` begins a line with keys of its own; `removed` is refused or ignored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmKey:
    """One key of slurm.conf."""

    name: str
    """The name as Slurm writes it; it reads keys in any case."""
    scope: Scope
    types: Mapping[str, KeyType]
    """Its type by release (`23.11`), for the releases that know it."""
    source: str
    as_of: str


def slurm_keys(scope: Scope) -> Mapping[str, SlurmKey]:
    """Return all keys of a scope, by their name in lower case."""
    return _keys()[scope]


def slurm_key(scope: Scope, name: str) -> SlurmKey | None:
    """Return the key of that name, in any case; None if no release knows it."""
    return _keys()[scope].get(name.lower())


@cache
def _keys() -> dict[Scope, dict[str, SlurmKey]]:
    found: dict[Scope, dict[str, SlurmKey]] = {"global": {}, "partition": {}, "node": {}}
    for record in records("keys", __file__):
        scope = record.pop("kind")
        found[scope][record["name"].lower()] = SlurmKey(scope=scope, **record)
    return found
