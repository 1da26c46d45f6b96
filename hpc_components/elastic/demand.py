"""What Slurm waits for, as the planner wants it. Pure."""

from collections.abc import Iterable, Sequence

from hpc_components.elastic.decisions import Action, CloudState, SlurmState
from hpc_components.elastic.journal import Entry
from hpc_components.elastic.model import Instance, InstanceState, Job
from hpc_components.elastic.planner import Unit, units_of
from hpc_components.elastic.reconcile import REGISTERED, Seen, View

__all__ = ["for_nobody", "to_repeat", "units_waiting"]

_ALIVE = frozenset({CloudState.PENDING, CloudState.RUNNING, CloudState.FAILING})


def to_repeat(view: View, entries: Iterable[Entry]) -> list[Entry]:
    """Launches without an answer for which a job still waits."""
    return _unanswered(entries, _asked(view, SlurmState.BOOTING))


def for_nobody(view: View, entries: Iterable[Entry]) -> list[Entry]:
    """Launches without an answer whose nodes come up, and no job waits for any of them."""
    spare = _unanswered(entries, _asked(view, SlurmState.SPARE))
    wanted = _asked(view, SlurmState.BOOTING)
    return [entry for entry in spare if wanted.isdisjoint(entry.nodes)]


def units_waiting(
    view: View, jobs: Iterable[Job], entries: Iterable[Entry], replaced: Iterable[Seen], brought: dict[str, Instance]
) -> Sequence[Unit]:
    """Nodes that need a machine, with what their jobs have already.

    `entries` are the journal's now, `replaced` are nodes whose machine was ended a moment ago, and `brought` is what
    repeated launches brought. Nothing is planned for a job while it is not known what it already has.
    """
    missing = dict.fromkeys(this.name for this in (*view.todo.get(Action.LAUNCH, ()), *replaced))
    last = {name: entry for entry in entries for name in entry.nodes}
    booting: dict[str, Instance] = {}
    up: dict[str, Instance] = {}
    unknown: set[str] = set()
    for name, this in view.seen.items():
        if name in missing:
            continue
        machine = this.machine if this.cloud in _ALIVE else None
        if this.cloud is CloudState.ASKED:
            entry = last.get(name)
            machine = brought.get(name) or (_unlisted(entry, name) if entry else None)
            if machine is None and this.slurm is SlurmState.BOOTING:
                if entry:
                    unknown.add(name)
                else:  # it was answered a moment ago, and brought less than was asked for
                    missing[name] = None
        if machine and this.slurm in REGISTERED:
            up[name] = machine
        elif machine and this.slurm is SlurmState.BOOTING:
            booting[name] = machine
    known = [job for job in jobs if job.state != "COMPLETING"]
    for job in known:
        if not unknown.isdisjoint(job.nodes):
            for name in job.nodes:
                missing.pop(name, None)
    return units_of(missing, known, booting, up)


def _asked(view: View, state: SlurmState) -> set[str]:
    waiting = view.todo.get(Action.WAIT, ())
    return {this.name for this in waiting if this.slurm is state and this.cloud is CloudState.ASKED}


def _unanswered(entries: Iterable[Entry], names: set[str]) -> list[Entry]:
    return [entry for entry in entries if entry.unanswered and not names.isdisjoint(entry.nodes)]


def _unlisted(entry: Entry, name: str) -> Instance | None:
    """A machine of which only the answer to its launch is known; None if not even that is."""
    if entry.machines is None:
        return None
    return Instance(
        id=entry.machines[name],
        node=name,
        token=entry.launch.token,
        pool=entry.launch.pool,
        state=InstanceState.PENDING,
        launched=entry.launch.asked,
    )
