"""What is known of a rehearsal at one moment while it runs."""

import re
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from hpc_components.elastic.names import number_of, queue_of
from hpc_components.rehearse.result import Event, Kind, NodeState
from hpc_components.rehearse.show.timeline import fold_names

__all__ = ["JobNow", "Now", "Told", "cells"]

_KEPT = 100
"""Events that are remembered; no terminal is so high."""

_TOGETHER = 1.0
"""Seconds within which events that are alike are told in one line."""

_DIGITS = re.compile(r"\d+")


@dataclass
class Told:
    """An event as it is shown, and those like it that came right after."""

    event: Event
    """The first of them."""
    nodes: list[str]
    """The node that each of them is about."""

    @property
    def words(self) -> str:
        """One line for a person."""
        if len(self.nodes) < 2:
            return self.event.words
        if self.event.kind is Kind.NODE:
            return f"{fold_names(self.nodes)} are {self.event.state}"
        return f"{len(self.nodes)}× {self.event.words}"

    def is_like(self, event: Event) -> bool:
        """Whether `event` says the same of another node (but for numbers), at about the same time."""
        first = self.event
        if not event.node or event.kind is not first.kind or event.t - first.t > _TOGETHER:
            return False
        if event.kind is Kind.NODE:
            return event.state == first.state
        return event.kind is Kind.CLOUD and _DIGITS.sub("", event.words) == _DIGITS.sub("", first.words)


@dataclass(frozen=True, kw_only=True)
class JobNow:
    """A job and the state it is in."""

    id: int
    """Its id."""
    state: str
    """Slurm's word."""
    since: float
    """Seconds since the rehearsal began."""


@dataclass
class Now:
    """Made of all events so far."""

    step: str = ""
    """What the rehearsal does."""
    nodes: dict[str, str] = field(default_factory=dict)
    """The state of each node that was told of."""
    jobs: dict[int, JobNow] = field(default_factory=dict)
    """All jobs by id."""
    recent: deque[Told] = field(default_factory=lambda: deque(maxlen=_KEPT))
    """The last events, the newest last."""

    def hear(self, event: Event) -> None:
        """Take an event in."""
        if event.kind is Kind.STEP:
            self.step = event.words
        elif event.kind is Kind.NODE and event.node:
            self.nodes[event.node] = event.state
        elif event.kind is Kind.JOB and event.job:
            self.jobs[event.job] = JobNow(id=event.job, state=event.state, since=event.t)
        self._remember(event)

    def queues(self) -> dict[str, list[str]]:
        """States of the nodes of each queue, in the order of their numbers; queues as they were first told of."""
        queues: dict[str, list[str]] = {}
        for node in sorted(self.nodes, key=_number):
            queues.setdefault(queue_of(node), []).append(self.nodes[node])
        order = list(dict.fromkeys(map(queue_of, self.nodes)))
        return {queue: queues[queue] for queue in order}

    def _remember(self, event: Event) -> None:
        if self.recent and self.recent[-1].is_like(event):
            self.recent[-1].nodes.append(event.node)
        else:
            self.recent.append(Told(event, [event.node] if event.node else []))


def _number(node: str) -> int:
    try:
        return number_of(node)
    except ValueError:
        return 0


def cells(states: list[str], room: int) -> list[str]:
    """`states` of nodes in `room` cells at most: one each, or in proportion where there are more nodes than cells.

    A state that any node has is then in one cell at least, as long as there are so many.
    """
    if len(states) <= room:
        return states
    counts = Counter(states)
    order = [*(state for state in NodeState if state in counts), *(state for state in counts if state not in _KNOWN)]
    shares = _shares(counts, room)
    return [state for state in order for _ in range(shares.get(state, 0))]


_KNOWN = frozenset(NodeState)


def _shares(counts: Mapping[str, int], room: int) -> dict[str, int]:
    """Cells for each state: one, then the rest by whose share is furthest from filled."""
    most = [state for state, _ in Counter(counts).most_common(room)]
    shares = dict.fromkeys(most, 1)
    for _ in range(room - len(shares)):
        needy = max(most, key=lambda state: counts[state] / shares[state])
        shares[needy] += 1
    return shares
