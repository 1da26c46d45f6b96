"""Decides what to record: what was known before, and what this cycle has seen, make new records."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from hpc_components.elastic.ledger.records import RANKS, Ended, Record, Registered, Seen, Started
from hpc_components.elastic.model import Instance

KEPT_SECONDS = 86400.0
"""How long machines that have ended are remembered, in seconds: longer than any cloud lists them, and long enough to
correct their times when the clock is set."""


MISSING_LISTS = 3
"""Number of lists in a row that must lack a machine that has ended, because a cloud may leave out a machine once."""
RESPONDS_SECONDS = 300.0
"""Seconds after which a node that is not listed but still responds to Slurm is certain to exist. Slurm takes up to
SlurmdTimeout to notice that a node is gone."""


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """What a cycle has seen and done."""

    now: float
    instances: Collection[Instance]
    """Machines that the cloud listed or found by id."""
    answered: Collection[Instance] = ()
    """Machines from the answers to our launches, for which only the time of our request is known."""
    terminated: Mapping[str, float] = field(default_factory=dict)
    """Maps machine ids to the time at which the cloud answered our request to terminate the machine."""
    whys: Mapping[str, str] = field(default_factory=dict)
    """Maps machine ids to the reason for which we terminate them."""
    registered: Collection[str] = ()
    """Ids of machines whose nodes have registered with Slurm."""
    responding: Collection[str] = ()
    """Nodes that respond to Slurm although the cloud lists no machine for them."""


@dataclass
class Life:
    """A machine, as far as it is recorded."""

    started: Started
    registered: Registered | None = None
    ended: Ended | None = None
    seen: float = float("-inf")
    """Time at which the machine was listed although it had been taken for ended."""
    missing_since: float | None = None
    """Time of the first list in a row that lacks the machine."""
    missing_lists: int = 0
    corrected: int = 0


class Known:
    """What is recorded, as far as later records depend on it."""

    def __init__(self) -> None:
        self.lives: dict[str, Life] = {}
        self.open: dict[str, Life] = {}
        """Those that run, keyed by id."""

    def apply(self, record: Record) -> None:
        """Take in a record that was written now or earlier."""
        if isinstance(record, Started):
            life = self.lives.setdefault(record.id, Life(record))
            if _start_rank(record) > _start_rank(life.started):
                life.started = record
        elif isinstance(record, Registered) and record.id in self.lives:
            life = self.lives[record.id]
            if life.registered is None or record.corrected > life.registered.corrected:
                life.registered = record
        elif isinstance(record, Ended) and record.id in self.lives:
            life = self.lives[record.id]
            mistaken = record.ended < life.seen and record.ended_by != "cloud"
            if not mistaken and (life.ended is None or _end_rank(record) > _end_rank(life.ended)):
                life.ended = record
        elif isinstance(record, Seen) and record.id in self.lives:
            life = self.lives[record.id]
            life.seen = max(life.seen, record.at)
            if life.ended and life.ended.ended < life.seen and life.ended.ended_by != "cloud":
                life.ended = None
        if isinstance(record, Started | Registered | Ended) and record.id in self.lives:
            self.lives[record.id].corrected = max(self.lives[record.id].corrected, record.corrected)
        if isinstance(record, Started | Ended | Seen) and (life := self.lives.get(record.id)):
            if life.ended is None:
                self.open[record.id] = life
            else:
                self.open.pop(record.id, None)

    def forget(self, seen: Sighting) -> None:
        """Forget machines that ended long ago and that nothing but the ledger knows any more."""
        old = [id for id, life in self.lives.items() if life.ended and life.ended.ended + KEPT_SECONDS < seen.now]
        if old:
            known = {each.id for each in (*seen.instances, *seen.answered)}
            for id in old:
                if id not in known:
                    del self.lives[id]


def news(known: Known, seen: Sighting, list_lag: float) -> list[Record]:
    """Return what to record now. In `known`, only the counts of missing machines are changed; all else changes when
    the records are applied.
    """
    listed = {each.id: each for each in seen.instances}
    found: list[Record] = []
    for machine in listed.values():
        life = known.lives.get(machine.id)
        if life is None or life.started.started_by != "cloud":
            found.append(_started(machine, "cloud"))
    for machine in seen.answered:
        if machine.id not in listed and machine.id not in known.lives and _is_overdue(machine, seen, list_lag):
            found.append(_started(machine, "daemon"))
    starts = {each.id: each for each in found if isinstance(each, Started)}
    for id in {**known.open, **listed, **starts}:  # nothing more happens to machines that ended and are not listed
        life = known.lives.get(id) or Life(starts[id])
        found += _life_news(life, listed.get(id), seen, list_lag)
    return found


def _is_overdue(machine: Instance, seen: Sighting, list_lag: float) -> bool:
    """Return whether the cloud's own launch time can't be expected any more: the machine was terminated before it was
    listed, or should have been listed."""
    return machine.id in seen.terminated or machine.launched + list_lag <= seen.now


def _life_news(life: Life, machine: Instance | None, seen: Sighting, list_lag: float) -> Iterator[Record]:
    id = life.started.id
    if machine is not None and machine.alive and life.ended and life.ended.ended_by != "cloud":
        if life.ended.ended + list_lag <= seen.now:
            yield Seen(id=id, at=seen.now)
        return
    if life.registered is None and life.ended is None and id in seen.registered:
        yield Registered(id=id, at=seen.now, corrected=life.corrected)
    ended = _end(life, machine, seen, list_lag)
    if ended and (life.ended is None or _end_rank(ended) > _end_rank(life.ended)):
        yield ended


def _end(life: Life, machine: Instance | None, seen: Sighting, list_lag: float) -> Ended | None:
    """Return the end of the machine as this cycle knows it, or None while it runs or nothing new is known."""
    id, why = life.started.id, seen.whys.get(life.started.id, life.ended.why if life.ended else "other")
    if machine is not None and machine.taken:
        why = "reclaimed"
    missing_since = life.missing_since
    certain = life.missing_lists >= MISSING_LISTS
    if machine is not None or life.ended:
        life.missing_since, life.missing_lists = None, 0
    if machine is not None and not machine.alive and machine.ended is not None:
        return _ended(life, machine.ended, "cloud", why)
    if life.ended:
        return None
    if machine is None and life.started.node in seen.responding:
        if missing_since is None or missing_since + RESPONDS_SECONDS < seen.now:
            life.missing_since = seen.now  # it runs, but its tags were changed
        return None
    if machine is None and missing_since is not None and certain and seen.now - missing_since >= list_lag:
        return _ended(life, missing_since, "list", why)
    if id in seen.terminated:
        return _ended(life, seen.terminated[id], "daemon", why)
    if machine is not None:
        at = missing_since if missing_since is not None and certain else seen.now
        return None if machine.alive else _ended(life, at, "list", why)
    life.missing_since = seen.now if missing_since is None else missing_since
    life.missing_lists += 1
    return None


def _started(machine: Instance, by: str) -> Started:
    pool = machine.pool
    return Started(
        id=machine.id,
        node=machine.node,
        queue=pool.queue,
        machine=pool.machine,
        zone=pool.zone,
        purchase=pool.purchase,
        started=machine.launched,
        started_by=by,
    )


def _ended(life: Life, at: float, by: str, why: str) -> Ended:
    corrected = 0 if by == "cloud" else life.corrected  # the cloud's time needs no correction
    return Ended(id=life.started.id, ended=at, ended_by=by, why=why, corrected=corrected)


def _start_rank(record: Started) -> tuple[int, int]:
    return RANKS[record.started_by], record.corrected


def _end_rank(record: Ended) -> tuple[int, int]:
    return RANKS[record.ended_by], record.corrected
