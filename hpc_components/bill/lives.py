"""From when to when each machine was billed, when its boot ended, and which jobs it could run."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hpc_components.bill.jobs import Run
from hpc_components.bill.records import Ended, Ledger, Machine, Registered
from hpc_components.elastic.ledger.records import RANKS


@dataclass(frozen=True)
class Life:
    """The time for which a machine is billed. Its node runs jobs from `ready` until `jobs_until`.

    A machine that ran for less than the cloud's minimum is billed until after its end.
    """

    machine: Machine
    start: int
    end: int
    ready: int
    jobs_until: int
    rebuilt: bool
    """Whether its times are an estimate, because the ledger was lost."""
    late: bool
    """Whether its end is the time at which the cloud no longer listed it."""


def lives(ledger: Ledger, runs: Sequence[Run], horizon: int, minimum: int) -> list[Life]:
    """Return one life for each machine. A machine without end was billed until `horizon`.

    `minimum` is the least time that the cloud bills. All times are in milliseconds.
    """
    starts = _best_starts(ledger.machines)
    ends = _best_ends(_valid_ends(ledger))
    registered = _first_registrations(ledger.registered)
    by_node: dict[str, list[Life]] = defaultdict(list)
    for id_, machine in sorted(starts.items()):
        start = machine.started
        ended = ends.get(id_)
        end = max(start, ended.ended if ended else horizon)
        by_node[machine.node].append(
            Life(
                machine=machine,
                start=start,
                end=max(end, start + minimum) if ended else end,
                ready=registered.get(id_, -1),
                jobs_until=end,
                rebuilt=machine.started_by == "rebuilt" or bool(ended and ended.ended_by == "rebuilt"),
                late=bool(ended and ended.ended_by == "list"),
            )
        )
    begun = _starts_by_node(runs)
    return [life for node, its in by_node.items() for life in _with_windows(its, begun.get(node, []))]


def boot_times(ledger: Ledger) -> dict[str, list[int]]:
    """Return the milliseconds from the start of each machine to its registration, by machine type."""
    registered = _first_registrations(ledger.registered)
    found: dict[str, list[int]] = defaultdict(list)
    for id_, machine in _best_starts(ledger.machines).items():
        if id_ in registered and machine.started_by != "rebuilt" and registered[id_] > machine.started:
            found[machine.machine].append(registered[id_] - machine.started)
    return dict(found)


def unknown_ends(ledger: Ledger) -> int:
    """Return the number of machines whose end is recorded but not their start."""
    return len({ended.id for ended in ledger.ended} - {machine.id for machine in ledger.machines})


def _best_starts(machines: Iterable[Machine]) -> dict[str, Machine]:
    found: dict[str, Machine] = {}
    for machine in sorted(machines, key=lambda its: (_rank(its.started_by), -its.corrected, -its.started, repr(its))):
        found.setdefault(machine.id, machine)
    return found


def _valid_ends(ledger: Ledger) -> Iterator[Ended]:
    seen: dict[str, int] = {}
    for each in ledger.seen:
        seen[each.id] = max(each.at, seen.get(each.id, each.at))
    return (its for its in ledger.ended if its.ended_by == "cloud" or its.ended >= seen.get(its.id, its.ended))


def _best_ends(ended: Iterable[Ended]) -> dict[str, Ended]:
    found: dict[str, Ended] = {}
    for each in sorted(ended, key=lambda its: (_rank(its.ended_by), -its.corrected, -its.ended, its.why)):
        found.setdefault(each.id, each)
    return found


def _rank(origin: str) -> int:
    """Return the place of the origin of a time, the most trustworthy first, and unknown ones last."""
    return -RANKS.get(origin, -1)


def _first_registrations(records: Iterable[Registered]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in sorted(records, key=lambda its: (-its.corrected, its.at)):
        found.setdefault(each.id, each.at)
    return found


def _starts_by_node(runs: Iterable[Run]) -> Mapping[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for run in runs:
        for node in run.nodes:
            found[node].append(run.start)
    return {node: sorted(starts) for node, starts in found.items()}


def _with_windows(its: list[Life], job_starts: Sequence[int]) -> list[Life]:
    """Set `ready` and `jobs_until` of the lives of one node, so that at most one of them runs jobs at any time.

    A machine that replaces another one may start before the cloud reports the end of the first. Without a record of
    the registration, a machine's boot ends with its first job; without jobs, it never ended.
    """
    its = sorted(its, key=lambda life: (life.start, life.machine.id))
    following = [*(life.start for life in its[1:]), None]
    ready = [
        replace(
            life, ready=_ready(life, job_starts, life.jobs_until if after is None else min(life.jobs_until, after))
        )
        for life, after in zip(its, following, strict=True)
    ]
    ready.sort(key=lambda life: (life.ready, life.start, life.machine.id))
    nexts = [*(life.ready for life in ready[1:]), None]
    return [
        replace(life, jobs_until=max(life.ready, life.jobs_until if after is None else min(life.jobs_until, after)))
        for life, after in zip(ready, nexts, strict=True)
    ]


def _ready(life: Life, job_starts: Sequence[int], until: int) -> int:
    if life.ready >= 0:
        return min(max(life.ready, life.start), life.end)
    place = bisect_right(job_starts, life.start - 1)
    return job_starts[place] if place < len(job_starts) and job_starts[place] < until else life.end
