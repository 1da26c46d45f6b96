"""Lists the keys of slurm.conf by Slurm release, taken from Slurm's own source."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records

Scope = Literal["global", "partition", "node"]
"""Where a key is written: on a line of its own, or in a `PartitionName=` or `NodeName=` line."""

KeyType = Literal["text", "flag", "uint16", "uint32", "uint64", "line", "removed"]
"""How Slurm reads a value. `line` means that the key begins a line with further keys, and `removed` that Slurm
refuses or ignores it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmKey:
    """A key of slurm.conf."""

    name: str
    """The name as Slurm spells it. Slurm ignores case when it reads keys."""
    scope: Scope
    types: Mapping[str, KeyType]
    """The key's type in each release (e.g. `23.11`) that knows it."""
    source: str
    as_of: str


def slurm_keys(scope: Scope) -> Mapping[str, SlurmKey]:
    """Return all keys in a scope, by lower-case name."""
    return _keys()[scope]


def slurm_key(scope: Scope, name: str) -> SlurmKey | None:
    """Return the key named `name`, ignoring case, or None if no release knows it."""
    return _keys()[scope].get(name.lower())


@cache
def _keys() -> dict[Scope, dict[str, SlurmKey]]:
    found: dict[Scope, dict[str, SlurmKey]] = {"global": {}, "partition": {}, "node": {}}
    for record in records("keys", __file__):
        scope = record.pop("kind")
        found[scope][record["name"].lower()] = SlurmKey(scope=scope, **record)
    return found
