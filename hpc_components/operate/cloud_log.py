"""Changes of a cluster's resources, read from the cloud's own log for `hpc audit`."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from hpc_components.audit.node.redaction import command_filter
from hpc_components.cloud import cloud_named
from hpc_components.operate.cloud_command import run_cloud_command
from hpc_components.operate.reach import what_is_missing
from hpc_components.operate.ways import Program, ReachError
from hpc_components.strict_json import InvalidJsonError, parse_json

MAX_ENTRIES = 5000
"""Maximum number of entries that one command returns: 100 calls of CloudTrail, which allows two per second."""

_NAME = re.compile(r"[A-Za-z0-9][\w.@=+-]*")

_CLOCK_DIFFERENCE = timedelta(minutes=10)
"""Distance from the end of the log's retention, so that the cloud does not refuse the beginning as too old."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """A request that changed a resource of the cluster, or was to change it."""

    id: str
    """Entries with the same id are about the same request."""
    at: datetime
    who: str
    what: str
    """Operation and resources, without the request's content."""
    source: str
    """Address from which the request came, or empty."""
    failed: str
    """The cloud's code for the failure, or empty if the request succeeded."""


class OwnNames:
    """The names and ids by which a log's entries show that they concern the cluster."""

    def __init__(self, cluster: str, ids: Iterable[str]) -> None:
        self._cluster = cluster
        self._ids = {each for each in ids if each}

    def found_in(self, text: str) -> Iterator[str]:
        """Yield the parts of a name, an id, an ARN or a path that are the cluster's name or an id of its resources,
        or begin with the cluster's name and a hyphen.
        """
        for part in re.split("[/:]", text):
            own = part in self._ids or part == self._cluster or part.startswith(f"{self._cluster}-")
            if own and _NAME.fullmatch(part):
                yield part

    def add(self, ids: Iterable[str]) -> None:
        """Add ids of resources that entries show to be the cluster's."""
        self._ids.update(ids)


@dataclass(frozen=True, kw_only=True)
class CloudLog:
    """How the cloud's log of changes is read, without a request that changes anything."""

    title: str
    program: Program
    permission: str
    """What the caller must be allowed to do."""
    commands: Sequence[Sequence[str]]
    """Each prints a JSON list of entries, newest first, and at most `MAX_ENTRIES`."""
    environment: Mapping[str, str] = field(default_factory=dict)
    read: Callable[[Mapping[str, Any]], Change | None]
    """Returns what an entry says, or None if it is not a change, does not concern the cluster, or is a change that
    the cluster made by itself. It gets the entries of a command in the order of time. Raises KeyError, TypeError or
    ValueError if the entry is damaged.
    """


class CloudActivity(Protocol):
    """A cloud's part `activity`, usually the cloud's `activity` module."""

    @property
    def KEPT_DAYS(self) -> int:  # noqa: N802  a constant of the module
        """Number of days for which the cloud keeps the log."""
        ...

    def log(
        self, access: Mapping[str, Any], head: Mapping[str, Any], names: OwnNames, since: datetime, until: datetime
    ) -> CloudLog:
        """Return how the log of this time is read.

        `access` and `head` are the stack's outputs `access` and `head_node`. Raise KeyError, TypeError or ValueError
        if they are not those of this cloud.
        """
        ...


def ask_cloud_log(
    outputs: tuple[Mapping[str, Any], Mapping[str, Any]], ids: Iterable[str], since: datetime
) -> tuple[list[Change], list[str]]:
    """Return the changes from `since` on, and sentences about what could not be read.

    `outputs` are those of the stack, `access` and `head_node`; `ids` are those of its resources.
    """
    access, head = outputs
    activity = cloud_named(access["cloud"]).parts.activity
    if activity is None:
        return [], []
    until = datetime.now(UTC)
    oldest = until - timedelta(days=activity.KEPT_DAYS) + _CLOCK_DIFFERENCE
    try:
        log = activity.log(access, head, OwnNames(access["cluster"], ids), max(since, oldest), until)
    except (KeyError, TypeError, ValueError) as error:
        raise ReachError(f"the stack's outputs `access` and `head_node` are incomplete: {error}") from None
    if missing := what_is_missing([log.program]):
        return [], [f"{log.title}: {missing}"]
    changes, unread = _read(log)
    if since < oldest:
        unread.append(f"{log.title}: the cloud keeps it for {activity.KEPT_DAYS} days only; use a later --since")
    return changes, unread


def _read(log: CloudLog) -> tuple[list[Change], list[str]]:
    changes: dict[str, Change] = {}
    unread: list[str] = []
    for command in log.commands:
        entries, why = _entries(command, log.environment)
        if why:
            unread.append(f"{log.title}: {why}; it needs the permission {log.permission}")
        if len(entries) >= MAX_ENTRIES:
            unread.append(f"{log.title}: only {MAX_ENTRIES:,} entries were read, the newest; use a later --since")
        damaged = 0
        for entry in reversed(entries):
            try:
                change = log.read(entry)
            except (AttributeError, KeyError, TypeError, ValueError):
                damaged += 1
                continue
            if change:
                first = changes.setdefault(change.id, change)
                changes[change.id] = replace(first, failed=first.failed or change.failed)
        if damaged:
            unread.append(f"{log.title}: {damaged:,} of {len(entries):,} entries are damaged")
    return [_without_secrets(each) for each in changes.values()], unread


def _entries(command: Sequence[str], environment: Mapping[str, str]) -> tuple[list[Any], str]:
    """Return the entries that a command prints, and why it does not, or an empty string."""
    text, failure = run_cloud_command(command, environment)
    if failure:
        return [], failure
    try:
        entries = parse_json(text)
    except InvalidJsonError as error:
        return [], f"{' '.join(command[:4])}: {error}"
    if not isinstance(entries, list):
        return [], f"{' '.join(command[:4])} printed no list"
    return entries, ""


def _without_secrets(change: Change) -> Change:
    clean = command_filter()
    return replace(change, who=clean(change.who), what=clean(change.what))
