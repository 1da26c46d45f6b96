from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import records

Scope = Literal["global", "partition", "node"]
"""Where a key is written: on a separate line, or in a `PartitionName=` or `NodeName=` line."""

KeyType = Literal["text", "flag", "uint16", "uint32", "uint64", "line", "removed"]
"""How Slurm reads a value. `line` means that the key begins a line with further keys; `removed` means that Slurm
refuses or ignores the key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmKey:
    """A slurm.conf key."""

    name: str
    """Name in Slurm's own spelling. Slurm ignores case when it reads keys."""
    scope: Scope
    types: Mapping[str, KeyType]
    """Maps each release that recognizes the key (e.g. `23.11`) to the key's type."""
    source: str
    as_of: str


def slurm_keys(scope: Scope) -> Mapping[str, SlurmKey]:
    """Return all keys in a scope, keyed by lower-case name."""
    return _keys()[scope]


def slurm_key(scope: Scope, name: str) -> SlurmKey | None:
    """Return the key named `name`, ignoring case, or None if no release recognizes it."""
    return _keys()[scope].get(name.lower())


@cache
def _keys() -> dict[Scope, dict[str, SlurmKey]]:
    found: dict[Scope, dict[str, SlurmKey]] = {"global": {}, "partition": {}, "node": {}}
    for record in records("keys", __file__):
        scope = record.pop("kind")
        found[scope][record["name"].lower()] = SlurmKey(scope=scope, **record)
    return found
