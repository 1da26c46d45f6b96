"""The budgets of the description, which the boot scripts install on head and login nodes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hpc_components.bill.node.associations import Key
from hpc_components.bill.node.money import micros

FILE = Path("/etc/hpc/budgets.json")
"""Readable by root only, because organizations do not see each other's budgets."""


@dataclass(frozen=True, kw_only=True)
class Budget:
    kind: Literal["account", "organization", "person"]
    name: str
    association: Key
    period: Literal["month", "total"]
    micros: int


@dataclass(frozen=True, kw_only=True)
class Node:
    """What a queue's nodes cost, and have."""

    billing: int
    """Millionths of a dollar per minute, of the whole node."""
    cpus: int
    threads_per_core: int


@dataclass(frozen=True, kw_only=True)
class Described:
    cluster: str
    at_limit: Literal["finish", "end"]
    budgets: Sequence[Budget]
    queues: Mapping[str, Node]


def read(file: Path = FILE) -> Described:
    """Read the document, version 1. Raise OSError if it can't be read."""
    document = json.loads(file.read_text(encoding="utf-8"))
    if document["version"] != 1:
        raise OSError(f"{file} has version {document['version']}, but this program reads version 1")
    budgets = [
        Budget(
            kind=one["kind"],
            name=one["name"],
            association=(one["account"], one["user"]),
            period=one["period"],
            micros=micros(one["usd"]),
        )
        for one in document["budgets"]
    ]
    return Described(
        cluster=document["cluster"], at_limit=document["at_limit"], budgets=budgets, queues=nodes(document)
    )


def nodes(document: Mapping[str, Any]) -> dict[str, Node]:
    """Return the nodes by queue, of this document or one that contains the same key."""
    return {name: Node(**one) for name, one in document["queues"].items()}
