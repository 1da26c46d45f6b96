"""Maps machines to nodes. Each scale set has a blob, `<scale set>.json`, that only the daemon writes.

    {"version": 1, "names": {"<vmId>": "cpu-1"}, "launches": {"<token>": {"nodes": ["cpu-1", "cpu-2"], ...}}}

Nodes read `names` repeatedly until their own name appears. A launch is recorded before its request is sent, together
with the machines that already exist. A scale set has at most one open launch, so any other machine that is listed
later without a name was created for that launch.

`etag` is the scale set's ETag at the time when `capacity` was computed. The request contains this ETag, so Azure
executes the change at most once, however often the request is sent.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

VERSION = 1

TOKEN_KEPT_SECONDS = 6 * 3600.0
"""Seconds for which a token is remembered. Must exceed the time for which Slurm waits for a node (three times the
boot timeout), because a launch without a response may be repeated during that time."""


@dataclass(frozen=True, kw_only=True)
class LaunchRecord:
    """Record of a launch, kept from before its request is sent until its machines are gone."""

    nodes: tuple[str, ...]
    """Node names, in the order in which they are assigned."""
    minimum: int
    asked: float
    """Time of the request, in seconds since the epoch."""
    known: frozenset[str] = frozenset()
    """vmIds of the machines that existed before the launch. Empty after the launch is done."""
    etag: str = ""
    """ETag of the scale set before the change."""
    capacity: int = 0
    """Capacity requested for the scale set."""
    operation: str = ""
    """URL of the operation's status. Empty until Azure accepts the request."""
    made: tuple[str, ...] = ()
    """vmIds of the machines that were assigned the launch's node names, in the same order."""
    done: bool = False
    """Whether the launch is finished, so that no more names are assigned."""


@dataclass(frozen=True, kw_only=True)
class Assignments:
    """Content of a scale set's blob."""

    names: Mapping[str, str] = field(default_factory=dict)
    """Node names, keyed by vmId."""
    launches: Mapping[str, LaunchRecord] = field(default_factory=dict)
    """Launches, keyed by token, oldest first."""

    @cached_property
    def owners(self) -> Mapping[str, tuple[str, str]]:
        """Maps each vmId to the token of the machine's launch and the machine's node name."""
        return {
            vm_id: (token, node)
            for token, record in self.launches.items()
            for vm_id, node in zip(record.made, record.nodes, strict=False)
        }

    @property
    def open(self) -> tuple[str, LaunchRecord] | None:
        return next(((token, record) for token, record in self.launches.items() if not record.done), None)

    def with_launch(self, token: str, record: LaunchRecord) -> "Assignments":
        """Return the content with a launch added or updated.

        Any other open launch is closed, because nothing is waiting for it anymore.
        """
        closed = {
            each: former if former.done or each == token else replace(former, done=True, known=frozenset())
            for each, former in self.launches.items()
        }
        names = dict(self.names) | dict(zip(record.made, record.nodes, strict=False))
        return Assignments(names=names, launches=closed | {token: record})

    def without_launch(self, token: str) -> "Assignments":
        record = self.launches.get(token)
        made = record.made if record else ()
        return Assignments(
            names={vm_id: node for vm_id, node in self.names.items() if vm_id not in made},
            launches={each: record for each, record in self.launches.items() if each != token},
        )

    def tidied(self, gone: Collection[str], now: float) -> "Assignments":
        """Return the content without machines that are gone.

        If a finished launch has no machines left, only its token is kept, for `TOKEN_KEPT_SECONDS` after the request.
        """
        names = {vm_id: node for vm_id, node in self.names.items() if vm_id not in gone}
        launches = {}
        for token, record in self.launches.items():
            if not record.done or any(vm_id in names for vm_id in record.made):
                launches[token] = record
            elif record.asked + TOKEN_KEPT_SECONDS > now:
                launches[token] = LaunchRecord(nodes=(), minimum=0, asked=record.asked, done=True)
        return Assignments(names=names, launches=launches)

    def to_bytes(self) -> bytes:
        launches = {token: {**vars(record), "known": sorted(record.known)} for token, record in self.launches.items()}
        return json.dumps({"version": VERSION, "names": dict(self.names), "launches": launches}).encode()


def read_assignments(body: bytes) -> Assignments:
    """Decode a blob.

    An empty blob means no launches. Raise OSError if the blob is malformed or has a different version.
    """
    if not body:
        return Assignments()
    try:
        document: Any = json.loads(body)
        if document["version"] != VERSION:
            raise ValueError(f"version {document['version']}")
        launches = {token: _record(raw) for token, raw in document["launches"].items()}
        return Assignments(names=document["names"], launches=launches)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise OSError(f"the node-name blob is malformed: {error!r}") from None


def _record(raw: dict[str, Any]) -> LaunchRecord:
    raw |= {"nodes": tuple(raw["nodes"]), "known": frozenset(raw["known"]), "made": tuple(raw["made"])}
    return LaunchRecord(**raw)
