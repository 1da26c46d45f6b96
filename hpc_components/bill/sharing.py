"""Divides the shared costs of a cluster: boot, idle time and services."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hpc_components.bill.amounts import divided

IN_PROPORTION, EQUALLY, APART = "in_proportion", "equally", "apart"
RULES = {
    IN_PROPORTION: (
        "Divided: boot and idle time of a queue in proportion to its jobs' costs, the rest to those of all jobs."
    ),
    EQUALLY: "Divided: equal parts for all organizations (without organizations, for all top accounts).",
    APART: "Not divided.",
}
"""Rules of division, and what a bill says about them."""


@dataclass(frozen=True)
class Shares:
    """The parts of the shared costs, in units. They add up to the shared costs."""

    of_runs: Sequence[int]
    of_parties: Mapping[str, int] = field(default_factory=dict)
    """Parts of organizations or top accounts without jobs."""
    undivided: int = 0


def share(
    rule: str,
    job_costs: Sequence[int],
    queues: Sequence[str],
    overhead: Mapping[str, int],
    services: int,
    parties: Sequence[str],
    party_of: Callable[[int], str | None],
) -> Shares:
    """Divide shared costs among runs.

    Args:
        rule: one of RULES.
        job_costs: the cost of each run.
        queues: the queue of each run.
        overhead: the cost of boot and idle time by queue.
        services: the cost of everything else.
        parties: organizations or top accounts that get equal parts.
        party_of: the party of a run, or None.
    """
    total = sum(overhead.values()) + services
    nothing = [0] * len(job_costs)
    if rule == APART:
        return Shares(nothing, undivided=total)
    if rule == EQUALLY:
        return _equally(total, job_costs, parties, party_of)
    return _in_proportion(job_costs, queues, overhead, services)


def _in_proportion(
    job_costs: Sequence[int], queues: Sequence[str], overhead: Mapping[str, int], services: int
) -> Shares:
    parts = [0] * len(job_costs)
    runs_of: dict[str, list[int]] = defaultdict(list)
    for run, queue in enumerate(queues):
        runs_of[queue].append(run)
    left = services
    for queue, cost in sorted(overhead.items()):
        if not _divide(cost, job_costs, runs_of[queue], parts):
            left += cost
    if not _divide(left, job_costs, range(len(job_costs)), parts):
        return Shares(parts, undivided=left)
    return Shares(parts)


def _equally(
    total: int, job_costs: Sequence[int], parties: Sequence[str], party_of: Callable[[int], str | None]
) -> Shares:
    parts = [0] * len(job_costs)
    if not parties:
        return Shares(parts, undivided=total)
    runs_of: dict[str, list[int]] = {party: [] for party in parties}
    for run in range(len(job_costs)):
        party = party_of(run)
        if party in runs_of:
            runs_of[party].append(run)
    unused: dict[str, int] = {}
    for party, cost in zip(parties, divided(total, [1] * len(parties)), strict=True):
        if not _divide(cost, job_costs, runs_of[party], parts):
            unused[party] = cost
    return Shares(parts, unused)


def _divide(total: int, job_costs: Sequence[int], runs: Iterable[int], parts: list[int]) -> bool:
    """Add the runs' parts of `total` to `parts`. Return whether there are runs that cost something."""
    paying = [run for run in runs if job_costs[run]]
    if not paying:
        return False
    for run, part in zip(paying, divided(total, [job_costs[run] for run in paying]), strict=True):
        parts[run] += part
    return True
