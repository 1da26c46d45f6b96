"""Which sessions are too many, as each login node decides for itself from what the others wrote."""

import importlib.util
import sys
import time
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

_FILE = Path(str(files("hpc_components.boot") / "scripts/common/fair_use/sessions.py"))
_SPEC = importlib.util.spec_from_file_location("node_sessions", _FILE)
assert _SPEC is not None
assert _SPEC.loader is not None
node: Any = importlib.util.module_from_spec(_SPEC)
sys.modules["node_sessions"] = node
_SPEC.loader.exec_module(node)

NODES = ("login-1", "login-2", "login-3")
STARTS = st.lists(st.tuples(st.sampled_from(NODES), st.integers(1, 5), st.sampled_from([2000, 2001])), max_size=12)
"""Logins by node, second and uid; many of them in the same second."""


def session(at: str, start: float, id: str, uid: int = 2000) -> Any:
    return node.Session(start, at, id, uid, "pts/0")


def decided(sessions: list[Any], maximum: int, written: float) -> list[Any]:
    """What all nodes together end, if each has the others' reports of that time."""
    ended = []
    for name in NODES:
        here = [each for each in sessions if each.node == name]
        reports = [node.Report(written, tuple(s for s in sessions if s.node == at)) for at in NODES if at != name]
        ended += node.surplus(here, reports, maximum)
    return ended


@given(STARTS, st.integers(1, 4))
def test_the_oldest_sessions_remain_on_all_nodes_together(starts: list[tuple[str, int, int]], maximum: int) -> None:
    sessions = [session(at, start, f"session-{n}.scope", uid) for n, (at, start, uid) in enumerate(starts)]
    ended = decided(sessions, maximum, written=10)
    for uid in (2000, 2001):
        own = sorted(each for each in sessions if each.uid == uid)
        assert sorted(each for each in ended if each.uid == uid) == own[maximum:]


def test_two_logins_in_the_same_second_leave_exactly_the_maximum() -> None:
    sessions = [session("login-1", 1, "a"), session("login-1", 5, "b"), session("login-2", 5, "b")]
    assert decided(sessions, 2, written=6) == [sessions[2]]
    assert not decided(sessions, 2, written=4), "nobody knows yet that they ran at the same time"


def test_a_session_that_ended_before_the_next_began_does_not_count() -> None:
    left = node.Report(4.0, (session("login-2", 1, "a"),))
    new = session("login-1", 5, "b")
    assert not node.surplus([new], [left], 1)
    assert node.surplus([new], [node.Report(5.0, left.sessions)], 1) == [new]


@dataclass
class World:
    """Login nodes with clocks that agree, and reports that come late or not at all."""

    maximum: int
    now: float = 0
    open: list[Any] = field(default_factory=list)
    written: dict[str, Any] = field(default_factory=dict)
    began: int = 0

    def log_in(self, at: str) -> None:
        self.began += 1
        self.open.append(session(at, self.now, f"session-{self.began}.scope"))

    def log_out(self, index: int) -> None:
        if self.open:
            self.open.pop(index % len(self.open))

    def look(self, at: str) -> None:
        """What the service of a node does every few seconds."""
        here = [each for each in self.open if each.node == at]
        self.written[at] = node.Report(self.now, tuple(here))
        others = [report for name, report in self.written.items() if name != at]
        for each in node.surplus(here, others, self.maximum):
            older = [s for s in self.open if s < each]
            past = [s for r in others for s in r.sessions if r.written >= each.start and s < each]
            assert len({*older, *past}) >= self.maximum, "nobody loses a session without cause"
            self.open.remove(each)


ACTS = st.lists(st.tuples(st.sampled_from(["log_in", "log_out", "look"]), st.integers(0, 20)), max_size=40)


SECOND_OF_TWO = [("log_in", 1), ("log_in", 0), ("look", 1), ("log_in", 0), ("log_out", 0)]
"""The second session of login-1 began beside a first one that was too many: it ends, and the second must not."""


@given(ACTS, st.integers(1, 3))
@example(SECOND_OF_TWO, 1)
def test_whatever_happened_the_maximum_holds_after_two_looks(acts: list[tuple[str, int]], maximum: int) -> None:
    world = World(maximum)
    for act, number in acts:
        world.now += 1
        argument = number if act == "log_out" else NODES[number % len(NODES)]
        getattr(world, act)(argument)
    for _ in range(2):
        for name in NODES:
            world.now += 1
            world.look(name)
    assert len(world.open) <= maximum


def test_a_refusal_names_sessions_nodes_times_and_the_way_out() -> None:
    sessions = [
        session("login-10-0-0-2", time.time(), "session-7.scope"),
        session("login-10-0-0-1", 1, "session-3.scope"),
    ]
    first, *listed, last = node.refusal(sessions, 2).splitlines()
    assert first == "Each user can have 2 sessions on all login nodes together, and you have:"
    assert listed[0] == "  session 3 on login-10-0-0-1 since 01 Jan 00:00, pts/0"
    assert listed[1].startswith("  session 7 on login-10-0-0-2 since ")
    assert "`exit`" in last
    assert "loginctl terminate-session" in last
