"""Keeps what happens in a rehearsal, tells it outside at once, and makes lives out of it at the end."""

import threading
import time
from collections.abc import Callable, Sequence

from hpc_components.rehearse.result import Check, Event, Kind, NodeLife, NodeState, Span

__all__ = ["Teller", "node_lives", "spans"]


class Teller:
    """Everything that happens goes through here, from whatever thread."""

    def __init__(self, tell: Callable[[Event], None]) -> None:
        self._tell, self._begin, self._lock = tell, time.monotonic(), threading.Lock()
        self.events: list[Event] = []
        self.checks: list[Check] = []

    @property
    def now(self) -> float:
        """Seconds since the rehearsal began."""
        return time.monotonic() - self._begin

    def tell(self, kind: Kind, words: str, *, node: str = "", job: int = 0, state: str = "") -> Event:
        """Something happened."""
        with self._lock:
            event = Event(t=round(self.now, 3), kind=kind, words=words, node=node, job=job, state=state)
            self.events.append(event)
            self._tell(event)
        return event

    def step(self, words: str) -> None:
        """The rehearsal begins something."""
        self.tell(Kind.STEP, words)

    def claim(self, what: str, passed: bool, detail: str = "") -> None:
        """Something must hold."""
        self.check(Check(what=what, passed=passed, detail=detail))

    def check(self, check: Check) -> None:
        """Something was checked."""
        self.checks.append(check)
        words = f"{check.what}: {check.detail}" if check.detail else check.what
        self.tell(Kind.CHECK, words, state="passed" if check.passed else "failed")


def spans(events: Sequence[Event], end: float) -> tuple[Span, ...]:
    """The states of one node or job, one after another, the last until `end`."""
    ends = [event.t for event in events[1:]] + [end]
    return tuple(Span(state=event.state, begin=event.t, end=until) for event, until in zip(events, ends, strict=True))


def node_lives(events: Sequence[Event], machines: dict[str, str], end: float) -> tuple[NodeLife, ...]:
    """The lives of all nodes that events tell of; `machines` by node."""
    of_node: dict[str, list[Event]] = {}
    for event in events:
        if event.kind is Kind.NODE:
            of_node.setdefault(event.node, []).append(event)
    return tuple(
        NodeLife(name=node, machine=machines.get(node, ""), spans=_while_there(spans(of_node[node], end)))
        for node in sorted(of_node, key=_by_number)
    )


def _while_there(states: tuple[Span, ...]) -> tuple[Span, ...]:
    """Without the time after a node is gone for good."""
    return states[:-1] if states[-1].state == NodeState.GONE else states


def _by_number(node: str) -> tuple[str, int]:
    queue, _, number = node.rpartition("-")
    return queue, int(number)
