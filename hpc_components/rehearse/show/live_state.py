from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from hpc_components.elastic.names import number_of, queue_of
from hpc_components.rehearse.events import Event, Kind, NodeState
from hpc_components.rehearse.show.timeline import fold_names

_EVENTS_KEPT = 100
"""Number of events kept: more than fit on a terminal."""

_GROUP_SECONDS = 1.0
"""Similar events within this many seconds are shown on one line."""


@dataclass
class EventGroup:
    """Similar consecutive events, shown on one line."""

    event: Event
    nodes: list[str]

    @property
    def words(self) -> str:
        if len(self.nodes) < 2:
            return self.event.words
        if self.event.kind is Kind.NODE:
            return f"{fold_names(self.nodes)} are {self.event.state}"
        return f"{len(self.nodes)}× {self.event.words}"

    def takes(self, event: Event) -> bool:
        first = self.event
        if not event.node or event.kind not in (Kind.NODE, Kind.CLOUD) or event.t - first.t > _GROUP_SECONDS:
            return False
        return (event.kind, event.code, event.state, event.pool) == (first.kind, first.code, first.state, first.pool)


@dataclass(frozen=True, kw_only=True)
class JobNow:
    id: int
    state: str
    """Slurm's name for the state, e.g. `RUNNING`."""
    since: float
    """Time at which the job entered this state, in seconds since the start of the rehearsal."""


@dataclass
class LiveState:
    step: str = ""
    nodes: dict[str, str] = field(default_factory=dict)
    """State of each node that had an event, keyed by node name."""
    jobs: dict[int, JobNow] = field(default_factory=dict)
    recent: deque[EventGroup] = field(default_factory=lambda: deque(maxlen=_EVENTS_KEPT))
    """Recent events, oldest first."""

    def update(self, event: Event) -> None:
        if event.kind is Kind.STEP:
            self.step = event.words
        elif event.kind is Kind.NODE and event.node:
            self.nodes[event.node] = event.state
        elif event.kind is Kind.JOB and event.job:
            self.jobs[event.job] = JobNow(id=event.job, state=event.state, since=event.t)
        self._keep(event)

    def queues(self) -> dict[str, list[str]]:
        """Return each queue's node states, sorted by node number. Queues appear in the order of their first event."""
        queues: dict[str, list[str]] = {}
        for node in sorted(self.nodes, key=_number):
            queues.setdefault(queue_of(node), []).append(self.nodes[node])
        order = list(dict.fromkeys(map(queue_of, self.nodes)))
        return {queue: queues[queue] for queue in order}

    def _keep(self, event: Event) -> None:
        if self.recent and self.recent[-1].takes(event):
            self.recent[-1].nodes.append(event.node)
        else:
            self.recent.append(EventGroup(event, [event.node] if event.node else []))


def _number(node: str) -> int:
    try:
        return number_of(node)
    except ValueError:
        return 0


def cells(states: list[str], room: int) -> list[str]:
    """Return at most `room` cells for nodes in these `states`.

    If there are more nodes than cells, each state's share of cells is proportional to its share of nodes. Each state
    has at least one cell if `room` allows.
    """
    if len(states) <= room:
        return states
    counts = Counter(states)
    order = [*(state for state in NodeState if state in counts), *(state for state in counts if state not in _KNOWN)]
    shares = _shares(counts, room)
    return [state for state in order for _ in range(shares.get(state, 0))]


_KNOWN = frozenset(NodeState)


def _shares(counts: Mapping[str, int], room: int) -> dict[str, int]:
    """Distribute `room` cells among the states in proportion to `counts`.

    Uses Adams's method of apportionment, so every state gets one cell before any state gets two.
    """
    shown = [state for state, _ in Counter(counts).most_common(room)]
    shares = dict.fromkeys(shown, 1)
    for _ in range(room - len(shares)):
        next_ = max(shown, key=lambda state: counts[state] / shares[state])
        shares[next_] += 1
    return shares
