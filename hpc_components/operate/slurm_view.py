"""What Slurm says of nodes and jobs, read from the same columns of `sinfo` and `squeue` in all releases.

Their `--json` differs from release to release, and Slurm 22.05 has no usable one; these columns do not change. Texts
that people choose come last in a line, because they may contain the separator.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hpc_components.elastic.slurm.hostlists import expand

NODES = ("sinfo", "--all", "--noheader", "--Node", "--format=%N|%R|%T|%H|%E")
JOBS = ("squeue", "--all", "--noheader", "--format=%i|%T|%P|%u|%D|%r|%N|%j")
"""Commands that only read. Source: sinfo(1) and squeue(1) of Slurm 22.05 to 25.11."""

STATES = ("busy", "idle", "booting", "ending", "drained", "down", "off")
"""States of nodes in our words."""

_FLAGS = "*~#!%$@^-"
"""Suffixes of a node's state. Source: sinfo(1), NODE STATE CODES."""

_BUSY = {"allocated", "mixed", "completing", "reserved", "blocked", "perfctrs"}
_DRAINED = {"drained", "draining", "drain", "maint", "reboot", "reboot_issued", "reboot_requested", "inval"}

_NONE = {"none", "(null)", "unknown", "n/a", ""}
"""What Slurm prints for a missing text."""


@dataclass(frozen=True)
class NodeView:
    """A node in one queue."""

    name: str
    queue: str
    state: str
    """One of `STATES`, or Slurm's own word if it is none of them."""
    slurm_state: str
    """Slurm's word for it, with its suffix."""
    reason: str
    since: str
    """When the reason was given, in the head node's time, or empty."""
    jobs: Sequence[str] = ()


@dataclass(frozen=True)
class JobView:
    id: str
    state: str
    queue: str
    user: str
    nodes: int
    reason: str
    """Why it waits, in Slurm's word."""
    on: Sequence[str]
    """Names of its nodes."""
    name: str


@dataclass(frozen=True)
class Waiting:
    """Jobs that wait for the same reason."""

    reason: str
    count: int
    first: Sequence[JobView] = field(default_factory=tuple)


def read_jobs(text: str) -> list[JobView]:
    """Read the output of `JOBS`. Lines that are something else are left out."""
    rows = (line.split("|", 7) for line in text.splitlines())
    return [_job(row) for row in rows if len(row) == 8 and row[4].isdecimal()]


def _job(row: Sequence[str]) -> JobView:
    id_, state, queue, user, nodes, reason, on, name = row
    return JobView(id_, state, queue, user, int(nodes), reason, _expanded(on.strip()), name)


def _expanded(nodes: str) -> Sequence[str]:
    try:
        return expand(nodes)
    except ValueError:
        return ()


def read_nodes(text: str, jobs: Iterable[JobView] = ()) -> list[NodeView]:
    """Read the output of `NODES`, with the jobs that each node has."""
    on: dict[str, list[str]] = {}
    for job in jobs:
        for node in job.on:
            on.setdefault(node, []).append(job.id)
    rows = (line.split("|", 4) for line in text.splitlines())
    return [_node(row, on) for row in rows if len(row) == 5]


def _node(row: Sequence[str], on: Mapping[str, Sequence[str]]) -> NodeView:
    name, queue, state, since, reason = (cell.strip() for cell in row)
    reason = "" if reason.lower() in _NONE else reason
    since = "" if not reason or since.lower() in _NONE else since
    return NodeView(name, queue, state_of(state), state, reason, since, tuple(on.get(name, ())))


def state_of(slurm_state: str) -> str:
    """Return Slurm's long state of a node in our words."""
    base = slurm_state.rstrip(_FLAGS).lower()
    flags = slurm_state[len(base) :]
    if re.match("down|fail|error|unknown|future", base):
        return "down"
    if base in _DRAINED:
        return "drained"
    if "~" in flags or base == "powered_down":
        return "off"
    if "#" in flags or base == "powering_up":
        return "booting"
    if "%" in flags or "!" in flags or base == "powering_down":
        return "ending"
    if "*" in flags:
        return "down"
    if base in _BUSY:
        return "busy"
    return "idle" if base in ("idle", "planned") else base


def count_states(nodes: Iterable[NodeView]) -> dict[str, Counter[str]]:
    """Return how many nodes of each queue are in which state."""
    counts: dict[str, Counter[str]] = {}
    for node in nodes:
        counts.setdefault(node.queue, Counter())[node.state] += 1
    return counts


def waiting_jobs(jobs: Iterable[JobView], most: int = 3) -> list[Waiting]:
    """Return waiting jobs by reason, the most frequent reason first, each with its first `most` jobs."""
    by_reason: dict[str, list[JobView]] = {}
    for job in jobs:
        if job.state == "PENDING":
            by_reason.setdefault(job.reason, []).append(job)
    ranked = sorted(by_reason.items(), key=lambda each: (-len(each[1]), each[0]))
    return [Waiting(reason, len(those), tuple(those[:most])) for reason, those in ranked]
