"""What `hpc audit` shows: the records of the head node and of a login node, the updates of the stack, and the changes
of its resources in the cloud's own log.

`hpc-audit` on the nodes reads their logs; one call on each of the two returns its records, without secrets.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from hpc_components.audit.node.record import KINDS
from hpc_components.operate.cloud_log import Change, ask_cloud_log
from hpc_components.operate.reach import HEAD, LOGIN, Reach
from hpc_components.operate.run_on_node import ask_node
from hpc_components.operate.sections import Section
from hpc_components.operate.ways import ReachError
from hpc_components.spec.printable import printable
from hpc_components.strict_json import InvalidJsonError, parse_json

VERSION = 1

ALL_KINDS: Mapping[str, str] = {
    **KINDS,
    "pulumi": "an update of the stack",
    "cloud": "a change of a resource, in the cloud's own log",
}
"""Kinds of records, with their meanings."""

_KEYS = ("time", "node", "kind", "who", "what", "from")

_SHOW = ("sudo", "-n", "/opt/hpc/bin/hpc-audit", "show", "--since")

_NOT_FOUND = "command not found"
"""What sudo says of a program that does not exist. Source: sudo, parse error of find_path."""


def asks_nodes(kinds: Sequence[str]) -> bool:
    """Return whether records of these kinds are on nodes; empty means all kinds."""
    return not kinds or any(kind in KINDS for kind in kinds)


def ask_audit(
    reach: Reach,
    since: datetime,
    kinds: Sequence[str] = (),
    *,
    updates: Callable[[], Sequence[Mapping[str, Any]]],
    ids: Callable[[], Sequence[str]],
) -> dict[str, Any]:
    """Return the document of `hpc audit`: records from `since` on, sorted by time. Only the sources of `kinds` are
    asked; empty means all.

    `updates` returns those of the stack, as `pulumi stack history --json` prints them, and `ids` the ids of its
    resources.

    Raise ReachError if a node can't be reached, or does not show its records.
    """
    nodes = [HEAD, *([LOGIN] if reach.has_login else [])] if asks_nodes(kinds) else []
    command = (*_SHOW, str(int(since.timestamp())))
    sections = {node: ask_node(reach, {"audit": command}, node)["audit"] for node in nodes}
    history = updates() if not kinds or "pulumi" in kinds else ()
    changes, unread = ask_cloud_log(reach.outputs, ids(), since) if not kinds or "cloud" in kinds else ([], [])
    return audit_document(reach.cluster, since, sections, history, changes, unread)


def audit_document(
    cluster: str,
    since: datetime,
    sections: Mapping[str, Section],
    updates: Sequence[Mapping[str, Any]],
    changes: Sequence[Change] = (),
    unread: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the document of `hpc audit`, made from the output of `hpc-audit show` on each node.

    `changes` are those in the cloud's log, and `unread` says what of it could not be read. Raise ReachError if a node
    does not show its records.
    """
    records: list[Mapping[str, str]] = [*_updates(updates, since), *map(_change, changes)]
    missing = [f"cloud: {printable(each)}" for each in unread]
    for node, section in sections.items():
        found, why = _records(node, section)
        records += found
        missing += why
    return {
        "audit": VERSION,
        "cluster": cluster,
        "since": _stamp(since),
        "records": sorted(records, key=lambda each: each["time"]),
        "unread": missing,
    }


def chosen(document: Mapping[str, Any], users: Sequence[str], kinds: Sequence[str]) -> dict[str, Any]:
    """Return the document with the records of these users and kinds alone; empty means all."""
    records = [
        each
        for each in document["records"]
        if (not users or each["who"] in users) and (not kinds or each["kind"] in kinds)
    ]
    return {**document, "records": records}


def _records(node: str, section: Section) -> tuple[list[Mapping[str, str]], list[str]]:
    """Return the records that a node printed, and sentences for the sources that it could not read."""
    if section.code != 0:
        why = section.text.strip().rpartition("\n")[2] or "it says nothing"
        if _NOT_FOUND in why:
            why = "it keeps none; write `audit: {keep: 400d}` into the description, and run `pulumi up`"
        raise ReachError(f"{node} shows no audit trail: {why}")
    records: list[Mapping[str, str]] = []
    unread: list[str] = []
    for line in section.text.splitlines():
        try:
            read = parse_json(line)
        except InvalidJsonError:
            continue  # a message of sudo
        if isinstance(read, Mapping) and "unread" in read:
            unread.append(f"{node}: {printable(str(read['unread']))}: {printable(str(read.get('why')))}")
        elif isinstance(read, Mapping):
            records.append({key: printable(str(read.get(key, ""))) for key in _KEYS})
    return records, unread


def _updates(updates: Sequence[Mapping[str, Any]], since: datetime) -> Iterator[Mapping[str, str]]:
    """Yield a record for each update. Pulumi's history names the author of the last commit, not who ran the update.

    Source: pulumi, sdk/python/lib/pulumi/automation/_stack.py, `history`; pkg/backend/metadata.go.
    """
    for each in updates:
        at = datetime.fromisoformat(str(each["startTime"]))
        if at < since:
            continue
        environment = each.get("environment") or {}
        changes = each.get("resourceChanges") or {}
        counts = [f"{count} {operation}" for operation, count in changes.items() if operation != "same"]
        commit = str(environment.get("git.head", ""))[:8]
        by = f"commit {commit} of {environment.get('git.author') or 'an unknown author'}" if commit else ""
        what = "; ".join(filter(None, (f"{each.get('kind')} {each.get('result')}", ", ".join(counts), by)))
        yield dict(zip(_KEYS, (_stamp(at), "", "pulumi", "", printable(what), ""), strict=True))


def _change(change: Change) -> Mapping[str, str]:
    what = "; ".join(filter(None, (change.what, change.failed and f"failed: {change.failed}")))
    texts = (_stamp(change.at), "cloud", "cloud", change.who, what, change.source)
    return dict(zip(_KEYS, map(printable, texts), strict=True))


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
