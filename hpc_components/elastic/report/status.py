import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

from hpc_components.elastic.budget.look import Look
from hpc_components.elastic.config import Config
from hpc_components.elastic.decide.table import CloudState
from hpc_components.elastic.model import Node
from hpc_components.elastic.money import as_text
from hpc_components.elastic.names import queue_of
from hpc_components.elastic.report.events import Costs, CycleReport, Event, EventKind, FailedCheck
from hpc_components.elastic.slurm.hostlists import fold
from hpc_components.elastic.slurm.node_states import SlurmState, slurm_state

VERSION = 1
EVENTS_KEPT = 100

_K = EventKind
TROUBLE = frozenset(
    {
        _K.CAPACITY,
        _K.REFUSED,
        _K.THROTTLED,
        _K.LOST,
        _K.DOWN,
        _K.DRAIN,
        _K.UNHEALTHY,
        _K.UNLISTED,
        _K.CLOCK,
        _K.BUDGET,
        _K.LEDGER,
        _K.SLURM_AWAY,
        _K.CLOUD_AWAY,
    },
)
"""Event kinds that need an operator's attention."""

_COLUMNS = {
    SlurmState.UP: "up",
    SlurmState.UP_NOT_RESPONDING: "up",
    SlurmState.UNPAID: "up",
    SlurmState.POWERING_UP: "coming",
    SlurmState.UNWANTED: "coming",
    SlurmState.CALLED_OFF: "going",
    SlurmState.POWERING_DOWN: "going",
    SlurmState.DRAINING: "drained",
    SlurmState.DRAINING_NOT_RESPONDING: "drained",
    SlurmState.PAID_AGAIN: "drained",
    SlurmState.DRAINED: "drained",
    SlurmState.FAULTY: "drained",
    SlurmState.HELD: "drained",
    SlurmState.HELD_NOT_RESPONDING: "drained",
    SlurmState.OFF: "off",
}
"""Maps node states to columns of `hpc-elastic status`. Nodes in any other state are counted in the `down` column."""

_NOT_LISTED = (CloudState.ASKED.value, CloudState.MISSING.value)


class Status:
    """The daemon's state, which the loop updates and any thread may read."""

    def __init__(self, config: Config, clock: Callable[[], float]) -> None:
        self._config = config
        self._clock = clock
        self._started = clock()
        self._lock = threading.Lock()
        self._last = CycleReport(time=0.0, pause=0.0, problem="no cycle yet")
        self._seen = self._last
        self._seconds = 0.0
        self._events: deque[Event] = deque(maxlen=EVENTS_KEPT)
        self._kinds: Counter[str] = Counter()
        self._wakes: Counter[str] = Counter()
        self._failed_checks: Counter[FailedCheck] = Counter()
        self._cycles = 0
        self._calls = 0
        self._seconds_in_all = 0.0
        self._most_spent: tuple[float, dict[str, int]] = 0.0, {}
        """Month, and the highest cost of each queue that was reported in it. A later record may lower a cost a
        little, but Prometheus would take that for a counter that began again."""

    def put(self, report: CycleReport, seconds: float) -> None:
        """Add a cycle's report. If the cycle couldn't read Slurm or the cloud, keep the observations of the last
        successful cycle.
        """
        with self._lock:
            self._last = report
            if not report.problem:
                self._seen = report
            self._events.extend(report.events)
            self._kinds.update(event.kind.value for event in report.events)
            self._failed_checks.update(report.failed_checks)
            self._seconds = seconds
            self._seconds_in_all += seconds
            self._cycles += 1
            self._calls += report.calls
            if report.costs:
                month, most = self._most_spent
                most = most if month == report.costs.month else {}
                queues = report.costs.queues
                self._most_spent = report.costs.month, most | {q: max(n, most.get(q, 0)) for q, n in queues.items()}

    def woken(self, program: str) -> None:
        with self._lock:
            self._wakes[program] += 1

    def document(self) -> dict[str, Any]:
        """Return the complete document, which can be serialized to JSON. Times are in seconds since the epoch; nodes
        are given as host lists.
        """
        with self._lock:
            last, seen = self._last, self._seen
            return {
                "version": VERSION,
                "cluster": self._config.cluster,
                "now": self._clock(),
                "started": self._started,
                "cycle": {
                    "time": last.time,
                    "seconds": round(self._seconds, 3),
                    "pause": last.pause,
                    "problem": last.problem,
                    "seen": seen.time,
                },
                "queues": self._queues(seen),
                **({"costs": self._costs(last.costs)} if last.costs else {}),
                "waits": [asdict(wait) | {"nodes": fold(wait.nodes)} for wait in seen.waits],
                "blocked": [
                    {**asdict(blocked.pool), "until": blocked.until, "words": blocked.told}
                    for blocked in last.blocked
                ],
                "budget": _budget(last.budget or seen.budget),
                "failed_checks": [asdict(failed) | {"machines": n} for failed, n in self._failed_checks.items()],
                "events": [_event(event) for event in self._events],
                "totals": {
                    "cycles": self._cycles,
                    "cycle_seconds": round(self._seconds_in_all, 3),
                    "calls": self._calls,
                    "events": {kind.value: self._kinds[kind.value] for kind in EventKind},
                    "wakes": dict(self._wakes),
                },
            }

    def _costs(self, costs: Costs) -> dict[str, Any]:
        """Amounts are decimal strings in USD. `counters` are the amounts by queue for Prometheus."""
        _, most = self._most_spent
        return {
            "month": costs.month,
            "queues": {queue: _usd(nano) for queue, nano in costs.queues.items()},
            "counters": {queue: _usd(nano) for queue, nano in most.items()},
            "services": _usd(costs.services),
            "total": _usd(sum(costs.queues.values()) + costs.services),
            "per_hour": _usd(costs.rate),
            "unpriced": list(costs.unpriced),
        }

    def _queues(self, seen: CycleReport) -> list[dict[str, Any]]:
        machines = Counter(instance.pool.queue for instance in seen.instances if instance.alive)
        columns: dict[str, Counter[str]] = {queue.name: Counter() for queue in self._config.queues}
        free = Counter(queue_of(node.name) for node in seen.nodes if _is_free(node))
        for node, (slurm, cloud, _) in seen.cells.items():
            counted = columns.get(queue_of(node))
            if counted is None or slurm == SlurmState.ABSENT.value:
                continue
            counted[_COLUMNS.get(SlurmState(slurm), "down")] += 1
            counted["asked"] += cloud in _NOT_LISTED
        return [
            {
                "name": queue.name,
                "min": queue.min,
                "max": queue.max,
                "wanted": columns[queue.name]["up"] + columns[queue.name]["coming"],
                **{column: columns[queue.name][column] for column in _columns()},
                "free": free[queue.name],
                "machines": machines[queue.name],
            }
            for queue in self._config.queues
        ]


def _is_free(node: Node) -> bool:
    return "IDLE" in node.states and slurm_state(node) is SlurmState.UP


def _usd(nano: int) -> str:
    return f"{nano // 10**9}.{nano % 10**9:09d}"


def _columns() -> Iterable[str]:
    return (*dict.fromkeys(_COLUMNS.values()), "down", "asked")


def _event(event: Event) -> dict[str, Any]:
    return asdict(event) | {"kind": event.kind.value, "nodes": fold(event.nodes)}


def _budget(look: Look | None) -> dict[str, Any] | None:
    """Return the budget with amounts in USD, as text so that they are exact."""
    if look is None:
        return None
    amounts = {
        "limit": look.limit,
        "spent": look.spent,
        "left": look.left,
        "per_hour": look.rate,
        "forecast": look.forecast,
    }
    return {
        **{f"{name}_usd": None if nano is None else as_text(nano) for name, nano in amounts.items()},
        "stopped": look.why if look.stopped else "",
        "spent_at": look.spent_at,
        "renews": look.renews,
    }
