"""The mapping of machines to nodes: a blob per scale set, `<scale set>.json`, written by the daemon alone.

    {"version": 1, "names": {"<vmId>": "cpu-1"}, "launches": {"<token>": {"nodes": ["cpu-1", "cpu-2"], ...}}}

Nodes read `names` until theirs appears. A launch is recorded before the request is sent, with the machines that
existed before: a machine that is listed later, is not among them and has no name was made for the launch. A scale set
has at most one open launch. `etag` is that of the scale set for which `capacity` was computed: the change is
requested with it, and is therefore executed once or not at all, however often it is sent.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

VERSION = 1

TOKEN_KEPT_SECONDS = 6 * 3600.0
"""Seconds for which a token is remembered. A launch without an answer is sent again while Slurm waits for one of its
nodes, which is three times the boot timeout."""


@dataclass(frozen=True, kw_only=True)
class LaunchRecord:
    """A launch, from before it is requested until its machines have gone."""

    nodes: tuple[str, ...]
    """Node names, in the order in which they are assigned."""
    minimum: int
    """Minimum number of machines to keep."""
    asked: float
    """Time of the request, in seconds since the epoch."""
    known: frozenset[str] = frozenset()
    """vmIds of the machines that existed before it; empty once it is done."""
    etag: str = ""
    """ETag of the scale set before the change."""
    capacity: int = 0
    """The requested capacity."""
    operation: str = ""
    """URL of the operation's status; empty until the request was accepted."""
    made: tuple[str, ...] = ()
    """vmIds of the machines that have its names, in the order of the names."""
    done: bool = False
    """Whether no more names are assigned."""


@dataclass(frozen=True, kw_only=True)
class Assignments:
    """The content of a scale set's blob."""

    names: Mapping[str, str] = field(default_factory=dict)
    """Node names by vmId."""
    launches: Mapping[str, LaunchRecord] = field(default_factory=dict)
    """Launches by token, oldest first."""

    @cached_property
    def owners(self) -> Mapping[str, tuple[str, str]]:
        """Token of the launch that created a machine, and the node name that it got then, by vmId."""
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
        """Return the content with a launch added or updated. Another open launch is closed: nothing waits for it any
        more."""
        closed = {
            each: former if former.done or each == token else replace(former, done=True, known=frozenset())
            for each, former in self.launches.items()
        }
        names = dict(self.names) | dict(zip(record.made, record.nodes, strict=False))
        return Assignments(names=names, launches=closed | {token: record})

    def without_launch(self, token: str) -> "Assignments":
        """Return the content without a launch that created nothing."""
        record = self.launches.get(token)
        made = record.made if record else ()
        return Assignments(
            names={vm_id: node for vm_id, node in self.names.items() if vm_id not in made},
            launches={each: record for each, record in self.launches.items() if each != token},
        )

    def tidied(self, gone: Collection[str], now: float) -> "Assignments":
        """Return the content without machines that have gone. A launch without any machine left keeps only its
        token."""
        names = {vm_id: node for vm_id, node in self.names.items() if vm_id not in gone}
        launches = {}
        for token, record in self.launches.items():
            if not record.done or any(vm_id in names for vm_id in record.made):
                launches[token] = record
            elif record.asked + TOKEN_KEPT_SECONDS > now:
                launches[token] = LaunchRecord(nodes=(), minimum=0, asked=record.asked, done=True)
        return Assignments(names=names, launches=launches)

    def to_bytes(self) -> bytes:
        """Encode the content for the blob."""
        launches = {token: {**vars(record), "known": sorted(record.known)} for token, record in self.launches.items()}
        return json.dumps({"version": VERSION, "names": dict(self.names), "launches": launches}).encode()


def read_assignments(body: bytes) -> Assignments:
    """Decode a blob; an empty one has no launches. Raise OSError if it is malformed or of another version."""
    if not body:
        return Assignments()
    try:
        document: Any = json.loads(body)
        if document["version"] != VERSION:
            raise ValueError(f"version {document['version']}")
        launches = {token: _record(raw) for token, raw in document["launches"].items()}
        return Assignments(names=document["names"], launches=launches)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise OSError(f"the blob with the names of nodes is malformed: {error!r}") from None


def _record(raw: dict[str, Any]) -> LaunchRecord:
    raw |= {"nodes": tuple(raw["nodes"]), "known": frozenset(raw["known"]), "made": tuple(raw["made"])}
    return LaunchRecord(**raw)
