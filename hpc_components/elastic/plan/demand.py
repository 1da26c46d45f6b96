from collections.abc import Iterable, Sequence

from hpc_components.elastic.decide.reconcile import REGISTERED, ClusterView, NodeView
from hpc_components.elastic.decide.table import ALIVE, Action, CloudState
from hpc_components.elastic.decide.unlisted import unlisted
from hpc_components.elastic.journal.entries import Entry
from hpc_components.elastic.model import Instance, Job
from hpc_components.elastic.plan.planner import Unit, units_of
from hpc_components.elastic.slurm.node_states import SlurmState
from hpc_components.elastic.slurm.registrations import is_awaited

_HAS_ONE = ALIVE | {CloudState.MISSING}
_OFF = (SlurmState.OFF, SlurmState.POWERING_DOWN)


def unanswered(view: ClusterView, entries: Iterable[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Return two lists of unanswered launches: those that jobs still need, and those that no job needs."""
    wanted: list[Entry] = []
    spare: list[Entry] = []
    if lost := [entry for entry in entries if entry.unanswered]:
        waiting = view.todo.get(Action.WAIT, ())
        asked = {this.name: this.slurm for this in waiting if this.cloud is CloudState.ASKED}
        for entry in lost:
            states = {asked.get(name) for name in entry.nodes}
            if SlurmState.POWERING_UP in states:
                wanted.append(entry)
            elif SlurmState.UNWANTED in states:
                spare.append(entry)
    return wanted, spare


def units_waiting(
    view: ClusterView,
    jobs: Iterable[Job],
    entries: Iterable[Entry],
    replaced: Iterable[NodeView],
    brought: dict[str, Instance],
) -> Sequence[Unit]:
    """Return the nodes that need a machine, grouped into units. Each unit also contains the machines that its jobs
    already have.

    `entries` contains the journal's current entries, `replaced` the nodes whose machines were terminated in this
    cycle, and `brought` the machines from repeated launches. No unit is returned for a job until it is known which
    machines the job has, and until Slurm has powered up all of its nodes.
    """
    missing = dict.fromkeys(this.name for this in (*view.todo.get(Action.LAUNCH, ()), *replaced))
    last = {name: entry for entry in entries for name in entry.nodes}
    booting: dict[str, Instance] = {}
    up: dict[str, Instance] = {}
    unknown: set[str] = set()
    for name, this in view.seen.items():
        if name in missing:
            continue
        if this.slurm in _OFF and this.node and is_awaited(this.node):
            # Slurm is about to power this node up. Wait for this, so that the job gets all its machines in one go.
            unknown.add(name)
        machine = this.machine if this.cloud in _HAS_ONE else None
        if this.cloud is CloudState.ASKED:
            entry = last.get(name)
            machine = brought.get(name) or (unlisted(entry, name) if entry and entry.machines else None)
            if machine is None and this.slurm is SlurmState.POWERING_UP:
                if entry:
                    unknown.add(name)
                else:  # the launch was answered in this cycle, with fewer machines than requested
                    missing[name] = None
        if machine and this.slurm in REGISTERED:
            up[name] = machine
        elif machine and this.slurm is SlurmState.POWERING_UP:
            booting[name] = machine
    known = [job for job in jobs if job.state != "COMPLETING"]
    for job in known:
        if not unknown.isdisjoint(job.nodes):
            for name in job.nodes:
                missing.pop(name, None)
    return units_of(missing, known, booting, up)
