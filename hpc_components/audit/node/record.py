"""A record of the audit trail, and its form on the wire: one JSON object per line."""

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from hpc_components.audit.node.redaction import command_filter

KINDS: Mapping[str, str] = {
    "login": "a session began",
    "logout": "a session ended",
    "refused": "a login, sudo or su was refused",
    "root": "a command or a session as another user, usually root",
    "slurm": "Slurm's accounts, limits, queues, reservations or nodes were changed",
    "files": "a file that grants rights, or that configures the node, was changed",
}
"""Kinds of records of nodes, with their meanings."""

MAX_LENGTH = 1000
"""Maximum length in characters of what a record says, so that hundreds of records fit into one call of any cloud."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """Who did what, when, and on which node."""

    at: float
    """Seconds since the epoch."""
    kind: str
    """One of `KINDS`."""
    who: str
    """Name of the user, or empty if the log does not contain it."""
    what: str
    source: str = ""
    """Address from which the user came, or empty."""
    node: str = ""


def without_secrets(records: Iterator[Record]) -> Iterator[Record]:
    """Yield the records without secrets, and with bounded lengths."""
    for each in records:
        clean = command_filter()  # one for each record: a key that begins in one does not go on in the next
        what = " ".join(map(clean, each.what[: 2 * MAX_LENGTH].splitlines()))
        yield replace(each, who=each.who[:256], what=what[:MAX_LENGTH], source=each.source[:256])


def to_line(record: Record) -> str:
    """Return the record as one line of JSON. `time` is in UTC and in whole seconds."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.at))
    document: dict[str, Any] = {"time": stamp, "node": record.node, "kind": record.kind, "who": record.who}
    return json.dumps(document | {"what": record.what, "from": record.source}, ensure_ascii=False)
