"""Events become lives."""

from hpc_components.rehearse.event_log import EventLog, node_lives
from hpc_components.rehearse.events import Code, Event, Kind, NodeState
from hpc_components.rehearse.result import Span


def node(t, name, state):
    return Event(t=t, kind=Kind.NODE, words="", node=name, state=state)


def test_events_are_reported_at_once_and_kept():
    reported = []
    log = EventLog(reported.append)
    log.record(Code.HEAD_BOOTS, "one")
    log.check(Code.NO_ERRORS, "it works", False, "it does not")
    assert reported == log.events
    assert [(event.kind, event.code, event.words, event.state) for event in reported] == [
        (Kind.STEP, Code.HEAD_BOOTS, "one", ""),
        (Kind.CHECK, Code.NO_ERRORS, "it works: it does not", "failed"),
    ]
    assert [(check.code, check.passed) for check in log.checks] == [(Code.NO_ERRORS, False)]
    assert reported[0].t <= reported[1].t <= log.now


def test_a_life_has_no_gaps_and_ends_when_the_node_is_gone():
    events = [
        node(1, "cpu-10", NodeState.WANTED),
        node(2, "cpu-2", NodeState.WANTED),
        node(3, "cpu-10", NodeState.BOOTING),
        node(5, "cpu-10", NodeState.GONE),
    ]
    second, tenth = node_lives(events, {"cpu-10": "hpc6a.48xlarge"}, end=9)
    assert (second.name, tenth.name, tenth.machine) == ("cpu-2", "cpu-10", "hpc6a.48xlarge")
    assert tenth.spans == (Span(state="wanted", begin=1, end=3), Span(state="booting", begin=3, end=5))
    assert second.spans == (Span(state="wanted", begin=2, end=9),)


def test_a_node_that_comes_back_keeps_the_time_in_between():
    events = [node(t, "cpu-1", state) for t, state in ((1, NodeState.IDLE), (2, NodeState.GONE), (4, NodeState.IDLE))]
    (life,) = node_lives(events, {}, end=5)
    assert [span.state for span in life.spans] == ["idle", "gone", "idle"]
