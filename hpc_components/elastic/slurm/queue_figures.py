"""Figures of Slurm's queue and of slurmctld, from one `squeue` and one `sdiag`.

Slurm's own metrics are not used: only 25.11 and later have them, they refuse all requests with PrivateData,
and a bug of 25.11.0 to 25.11.4 lets them end slurmctld. Source: Slurm documentation, "Metrics Guide"; Slurm's
CHANGELOG, 25.11.5; src/slurmctld/http.c of 25.11.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hpc_components.elastic.slurm.scontrol import Run

MAX_ACCOUNTS = 20
"""Maximum number of accounts that are counted by name. All others are counted together, so that the number of series
does not grow with the number of projects."""
OTHER_ACCOUNTS = "other"
WAITS_FOR_NODES = frozenset({"Resources", "Priority", "None"})
"""Reasons with which a job waits only until enough nodes are free. Source: Slurm documentation, "Job Reason
Codes"."""

_FREE_TEXT = re.compile(r"[^A-Za-z0-9_]")
_COUNTS = {
    "Server thread count": "server_threads",
    "Agent queue size": "agent_queue",
    "DBD Agent queue size": "dbd_agent_queue",
    "Jobs pending": "jobs_pending",
    "Jobs running": "jobs_running",
    "Jobs submitted": "submitted",
    "Jobs started": "started",
    "Jobs completed": "completed",
    "Jobs canceled": "canceled",
    "Jobs failed": "failed",
}
_CYCLES = {"Main schedule statistics": "main", "Backfilling stats": "backfill"}
_LAST_CYCLE = re.compile(r"\s+Last cycle:\s+(\d+)$")


@dataclass(frozen=True, kw_only=True)
class QueueFigures:
    """Pending jobs, where an array counts as one, and figures of slurmctld."""

    pending: Mapping[tuple[str, str], int]
    """Number of pending jobs by queue and reason. A job for several queues is counted in the first."""
    pending_of_accounts: Mapping[str, int]
    """Number of pending jobs of the accounts with the most, and of all others together."""
    smallest: Mapping[str, int]
    """Nodes that the smallest job needs which waits for nothing but free nodes, by queue."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Figures of `sdiag`: queue lengths, threads, and jobs since `sdiag` began to count, at midnight (UTC) at the
    latest."""
    cycle_seconds: Mapping[str, float] = field(default_factory=dict)
    """Duration of the last cycle of the schedulers `main` and `backfill`."""


def read_figures(run: Run) -> QueueFigures:
    """Ask slurmctld. Raise OSError if it does not answer."""
    shown = ["--states", "PENDING", "--format", "%P|%a|%D|%r"]
    jobs = parse_pending(run(["squeue", "--noheader", "--all", *shown]))
    return figures(jobs, run(["sdiag"]))


def parse_pending(text: str) -> list[tuple[str, str, int, str]]:
    """Return queue, account, number of nodes and reason of each line of `squeue --format '%P|%a|%D|%r'`."""
    rows = (line.split("|", 3) for line in text.splitlines())
    return [
        (queue.partition(",")[0], account, int(nodes) if nodes.isdecimal() else 1, reason)
        for queue, account, nodes, reason in (row for row in rows if len(row) == 4)
    ]


def figures(jobs: Iterable[tuple[str, str, int, str]], sdiag: str) -> QueueFigures:
    """Combine pending jobs with the output of `sdiag` (22.05 to 25.11)."""
    pending: Counter[tuple[str, str]] = Counter()
    accounts: Counter[str] = Counter()
    smallest: dict[str, int] = {}
    for queue, account, nodes, reason in jobs:
        pending[queue, _code(reason)] += 1
        accounts[account] += 1
        if reason in WAITS_FOR_NODES:
            smallest[queue] = min(nodes, smallest.get(queue, nodes))
    counts, cycles = _parsed(sdiag)
    return QueueFigures(
        pending=pending,
        pending_of_accounts=_most(accounts),
        smallest=smallest,
        counts=counts,
        cycle_seconds=cycles,
    )


def _code(reason: str) -> str:
    """Return a reason's code. A reason in free text, such as one with the names of nodes, would be a series each."""
    return "Other" if _FREE_TEXT.search(reason) else reason


def _most(accounts: Counter[str]) -> dict[str, int]:
    named = dict(sorted(accounts.items(), key=lambda item: (-item[1], item[0]))[:MAX_ACCOUNTS])
    rest = accounts.total() - sum(named.values())
    if rest:
        named[OTHER_ACCOUNTS] = named.get(OTHER_ACCOUNTS, 0) + rest
    return named


def _parsed(sdiag: str) -> tuple[dict[str, int], dict[str, float]]:
    counts: dict[str, int] = {}
    cycles: dict[str, float] = {}
    scheduler = ""
    for line in sdiag.splitlines():
        key, _, value = line.partition(":")
        if line[:1].strip() and key in _COUNTS and value.strip().isdecimal():
            counts[_COUNTS[key]] = int(value)
        scheduler = next((name for head, name in _CYCLES.items() if line.startswith(head)), scheduler)
        if (match := _LAST_CYCLE.match(line)) and scheduler:
            cycles[scheduler] = int(match[1]) / 1e6
    return counts, cycles
