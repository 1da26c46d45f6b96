import threading
import time
from collections.abc import Callable, Sequence

from hpc_components.rehearse.events import Code, Event, Kind, NodeState
from hpc_components.rehearse.result import Check, NodeLife, Span


class EventLog:
    """The events and checks recorded so far. All methods are thread-safe."""

    def __init__(self, report: Callable[[Event], None]) -> None:
        self._report, self._begin, self._lock = report, time.monotonic(), threading.Lock()
        self.events: list[Event] = []
        self.checks: list[Check] = []

    @property
    def now(self) -> float:
        """Seconds since the start of the rehearsal."""
        return time.monotonic() - self._begin

    def record(
        self, code: Code, words: str, *, node: str = "", job: int = 0, state: str = "", pool: str = ""
    ) -> Event:
        with self._lock:
            t = round(self.now, 3)
            event = Event(t=t, kind=code.kind, code=code, words=words, node=node, job=job, state=state, pool=pool)
            self.events.append(event)
            self._report(event)
        return event

    def check(self, code: Code, what: str, passed: bool, detail: str = "") -> None:
        self.add(Check(code=code, what=what, passed=passed, detail=detail))

    def add(self, check: Check) -> None:
        assert check.code
        self.checks.append(check)
        words = f"{check.what}: {check.detail}" if check.detail else check.what
        self.record(check.code, words, state="passed" if check.passed else "failed")


def spans(events: Sequence[Event], end: float) -> tuple[Span, ...]:
    ends = [event.t for event in events[1:]] + [end]
    return tuple(Span(state=event.state, begin=event.t, end=until) for event, until in zip(events, ends, strict=True))


def node_lives(events: Sequence[Event], machines: dict[str, str], end: float) -> tuple[NodeLife, ...]:
    """Return the history of every node that has events. `machines` maps nodes to machine types."""
    of_node: dict[str, list[Event]] = {}
    for event in events:
        if event.kind is Kind.NODE:
            of_node.setdefault(event.node, []).append(event)
    return tuple(
        NodeLife(name=node, machine=machines.get(node, ""), spans=_until_gone(spans(of_node[node], end)))
        for node in sorted(of_node, key=_by_number)
    )


def _until_gone(states: tuple[Span, ...]) -> tuple[Span, ...]:
    return states[:-1] if states[-1].state == NodeState.GONE else states


def _by_number(node: str) -> tuple[str, int]:
    queue, _, number = node.rpartition("-")
    return queue, int(number)
