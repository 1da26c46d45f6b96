"""Estimates the machines that came and went while nothing was recorded, from the jobs that ran on them."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hpc_components.elastic.config import Config
from hpc_components.elastic.ledger.export import Period, utc
from hpc_components.elastic.ledger.news import Known, Life
from hpc_components.elastic.ledger.records import Ended, Gap, Record, Started
from hpc_components.elastic.names import queue_of
from hpc_components.elastic.slurm.hostlists import expand
from hpc_components.elastic.slurm.scontrol import HOLDS_NODES

_EARLIEST = 86400.0
"""sacct doesn't accept the beginning of the epoch."""
_FIELDS = "JobIDRaw,Start,End,NodeList"


@dataclass(frozen=True, order=True)
class Use:
    """A time during which a node ran a job, in seconds since the epoch."""

    node: str
    start: float
    end: float


def uses(text: str, running: Collection[str], now: float) -> Iterator[Use]:
    """Parse the lines that `jobs_in` returns. `running` contains the ids of jobs that still run: they end `now`.

    Jobs that never started are left out. So are those that slurmdbd takes for running although Slurm no longer knows
    them (`sacctmgr show runawayjobs`): they would seem to have run until now.
    """
    for line in text.splitlines():
        id, start, end, nodes = line.split("|", 3)
        if start.isdigit() and (end.isdigit() or id in running):
            for node in expand(nodes) if nodes != "None assigned" else ():
                yield Use(node, float(start), float(end) if end.isdigit() else now)


def running_jobs(run: Callable[[Sequence[str]], str]) -> set[str]:
    """Return the ids of the jobs that have nodes now."""
    return set(run(["squeue", "-h", "-a", "-t", HOLDS_NODES, "-o", "%A"]).split())


def jobs_in(run: Callable[[Sequence[str]], str], gaps: Sequence[Gap]) -> str:
    """Return sacct's lines of all runs of jobs in the gaps, for `uses`."""
    begin, end = min(gap.since for gap in gaps), max(gap.until for gap in gaps)
    options = ["-S", utc(max(begin, _EARLIEST)), "-E", utc(end), "-o", _FIELDS]
    return run(["sacct", "-a", "-X", "-D", "-P", "-n", *options])


def rebuilt(
    config: Config, known: Known, gaps: Iterable[Gap], found: Iterable[Use], idle: Mapping[str, float]
) -> list[Record]:
    """Return records of machines that must have existed in the gaps and are not known.

    A machine lives from the start of its first job until its queue's idle time after its last one. Its type is taken
    to be the queue's first, because Slurm doesn't know it. `idle` maps queues to their idle times in seconds.
    """
    spans = [Period(since=gap.since, until=gap.until) for gap in gaps]
    records: list[Record] = []
    by_node: defaultdict[str, list[Life]] = defaultdict(list)
    for life in known.lives.values():
        by_node[life.started.node].append(life)
    for each in _lives([use for use in found if queue_of(use.node) in config.by_name], idle):
        missed = any(each.start < span.until and span.since < each.end for span in spans)
        if missed and not _is_known(each, by_node[each.node]):
            records += _records(config, each)
    return records


def _lives(found: Sequence[Use], idle: Mapping[str, float]) -> Iterator[Use]:
    """Join the uses of a node between which it was not idle for long enough to be powered down."""
    life: Use | None = None
    for use in sorted(found):
        until = use.end + idle.get(queue_of(use.node), 0.0)
        if life and life.node == use.node and use.start <= life.end:
            life = Use(life.node, life.start, max(life.end, until))
            continue
        if life:
            yield life
        life = Use(use.node, use.start, until)
    if life:
        yield life


def _is_known(use: Use, lives: Collection[Life]) -> bool:
    """Return whether one of the node's machines ran at that time."""
    return any(
        life.started.started < use.end and (life.ended is None or use.start < life.ended.ended) for life in lives
    )


def _records(config: Config, use: Use) -> Iterator[Record]:
    queue = queue_of(use.node)
    pool = config.by_name[queue].pools[0]
    id = f"rebuilt-{use.node}-{use.start:.0f}"
    yield Started(id=id, node=use.node, **vars(pool), started=use.start, started_by="rebuilt")
    yield Ended(id=id, ended=use.end, ended_by="rebuilt", why="other")


def idle_times(run: Callable[[Sequence[str]], str], queues: Iterable[str]) -> dict[str, float]:
    """Return Slurm's idle time (`SuspendTime`) of each queue in seconds."""
    config = {
        line.split("=")[0].strip(): line.partition("=")[2].strip()
        for line in run(["scontrol", "show", "config"]).splitlines()
    }
    usual = config.get("SuspendTime", "").split()[0:1]
    found = dict.fromkeys(queues, _seconds(usual[0] if usual else ""))
    for line in run(["scontrol", "show", "partition", "--oneliner"]).splitlines():
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        if words.get("PartitionName") in found and words.get("SuspendTime", "").isdigit():
            found[words["PartitionName"]] = _seconds(words["SuspendTime"])
    return found


def _seconds(text: str) -> float:
    return float(text) if text.isdigit() else 0.0
