"""Which machine is which node: a blob for each scale set, `<scale set>.json`, written by the daemon alone.

    {"version": 1, "names": {"<vmId>": "cpu-1"}, "launches": {"<token>": {"nodes": ["cpu-1", "cpu-2"], ...}}}

Nodes read `names` until theirs is there. A launch is written down before Azure hears of it, with the machines that
there were before: what is listed later and is not among them, nor has a name, was made for it. A scale set has one
open launch at most. `etag` is that of the scale set for which `capacity` was worked out: the change is asked for with
it, so that it is carried out once however often it is sent, or not at all.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

__all__ = ["Assignments", "LaunchRecord", "read_assignments"]

VERSION = 1

REMEMBERED = 6 * 3600.0
"""Seconds for which a token is remembered. A launch without an answer is sent again for as long as Slurm waits for
one of its nodes, which is three times the boot timeout."""


@dataclass(frozen=True, kw_only=True)
class LaunchRecord:
    """A launch, from before Azure hears of it until its machines have gone."""

    nodes: tuple[str, ...]
    """Names, in the order in which they are given out."""
    minimum: int
    """Fewest machines to keep."""
    asked: float
    """When, seconds of the epoch."""
    known: frozenset[str] = frozenset()
    """vmIds of the machines before it; empty once it is done."""
    etag: str = ""
    """Of the scale set as it was before."""
    capacity: int = 0
    """What it was asked to have."""
    operation: str = ""
    """Address at which Azure tells what becomes of it; empty until the request was accepted."""
    made: tuple[str, ...] = ()
    """vmIds of the machines that have its names, in the order of those."""
    done: bool = False
    """Whether no more names are given out."""


@dataclass(frozen=True, kw_only=True)
class Assignments:
    """What the blob of a scale set says."""

    names: Mapping[str, str] = field(default_factory=dict)
    """vmId -> node."""
    launches: Mapping[str, LaunchRecord] = field(default_factory=dict)
    """By token, oldest first."""

    @cached_property
    def owners(self) -> Mapping[str, tuple[str, str]]:
        """vmId -> token of the launch that made it, and the name that it got then."""
        return {
            vm_id: (token, node)
            for token, record in self.launches.items()
            for vm_id, node in zip(record.made, record.nodes, strict=False)
        }

    @property
    def open(self) -> tuple[str, LaunchRecord] | None:
        """The launch that is not done, with its token."""
        return next(((token, record) for token, record in self.launches.items() if not record.done), None)

    def with_launch(self, token: str, record: LaunchRecord) -> "Assignments":
        """A launch, or what has become of it. Another one that was open is closed: nobody waits for it any more."""
        closed = {
            each: former if former.done or each == token else replace(former, done=True, known=frozenset())
            for each, former in self.launches.items()
        }
        names = dict(self.names) | dict(zip(record.made, record.nodes, strict=False))
        return Assignments(names=names, launches=closed | {token: record})

    def without_launch(self, token: str) -> "Assignments":
        """A launch that made nothing: as if it had never been."""
        record = self.launches.get(token)
        made = record.made if record else ()
        return Assignments(
            names={vm_id: node for vm_id, node in self.names.items() if vm_id not in made},
            launches={each: record for each, record in self.launches.items() if each != token},
        )

    def tidied(self, gone: Collection[str], now: float) -> "Assignments":
        """Without the names of machines that have gone. Of a launch of which none is left only the token stays."""
        names = {vm_id: node for vm_id, node in self.names.items() if vm_id not in gone}
        launches = {}
        for token, record in self.launches.items():
            if not record.done or any(vm_id in names for vm_id in record.made):
                launches[token] = record
            elif record.asked + REMEMBERED > now:
                launches[token] = LaunchRecord(nodes=(), minimum=0, asked=record.asked, done=True)
        return Assignments(names=names, launches=launches)

    def to_bytes(self) -> bytes:
        """For the blob."""
        launches = {token: {**vars(record), "known": sorted(record.known)} for token, record in self.launches.items()}
        return json.dumps({"version": VERSION, "names": dict(self.names), "launches": launches}).encode()


def read_assignments(body: bytes) -> Assignments:
    """What a blob says; nothing if there is none. OSError if it is of another version, or broken."""
    if not body:
        return Assignments()
    try:
        document: Any = json.loads(body)
        if document["version"] != VERSION:
            raise ValueError(f"version {document['version']}")
        launches = {token: _record(raw) for token, raw in document["launches"].items()}
        return Assignments(names=document["names"], launches=launches)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise OSError(f"the blob with the names of nodes is not understood: {error!r}") from None


def _record(raw: dict[str, Any]) -> LaunchRecord:
    raw |= {"nodes": tuple(raw["nodes"]), "known": frozenset(raw["known"]), "made": tuple(raw["made"])}
    return LaunchRecord(**raw)
