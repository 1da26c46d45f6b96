"""A rehearsal while it runs."""

import os
import pty
import sys
from collections import Counter
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rehearsal_sample import spot, university
from rich.console import Console

from hpc_components.rehearse.events import Code, Event, Kind, NodeState
from hpc_components.rehearse.show.live import draw, line_of, live_view
from hpc_components.rehearse.show.live_state import LiveState, cells
from tests.processes import Start

STATES = st.sampled_from([str(state) for state in NodeState])


def node_event(t: float, node: str, state: str) -> Event:
    return Event(t=t, kind=Kind.NODE, words=f"{node} is {state}", node=node, state=state)


def drawn(live: LiveState, width: int, height: int, elapsed: float = 60.0) -> list[str]:
    out = StringIO()
    Console(file=out, width=width, height=height, color_system=None, highlight=False).print(
        draw("Rehearsal of cfd", live, elapsed, width, height)
    )
    return [line.rstrip() for line in out.getvalue().splitlines()]


@given(st.lists(STATES, max_size=300), st.integers(1, 200))
def test_cells_are_few_and_show_every_state(states: list[str], room: int) -> None:
    shown = cells(states, room)
    assert len(shown) == min(len(states), room)
    assert len(set(shown)) == min(len(set(states)), room)
    if len(states) <= room:
        assert shown == states


@given(st.lists(STATES, min_size=50, max_size=300))
def test_cells_are_in_proportion(states: list[str]) -> None:
    shown, counts = Counter(cells(states, 40)), Counter(states)
    for state, number in counts.items():
        assert abs(shown[state] - number * 40 / len(states)) <= len(counts)


@pytest.mark.parametrize("nodes", [0, 3, 40, 400, 10_000])
@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (40, 12)])
def test_it_fits_the_terminal(nodes: int, width: int, height: int) -> None:
    live = LiveState()
    for event in spot().events:
        live.update(event)
    for number in range(1, nodes + 1):
        live.update(node_event(3 + number, f"compute-queue-{number}", "busy" if number % 3 else "booting"))
        live.update(Event(t=4, kind=Kind.JOB, words=f"job {number} runs", job=number, state="RUNNING"))
    lines = drawn(live, width, height)
    assert len(lines) <= height - 1
    assert max(map(len, lines)) <= width
    assert lines[0].startswith("Rehearsal of cfd  60.0 s")


def test_three_nodes_stand_on_one_line_and_four_hundred_on_some() -> None:
    few, many = LiveState(), LiveState()
    for number in range(1, 4):
        few.update(node_event(1, f"gpu-{number}", "busy" if number < 3 else "idle"))
    for number in range(1, 401):
        many.update(node_event(1, f"gpu-{number}", "busy"))
    assert "gpu  █ █ ─   1 idle, 2 busy" in drawn(few, 80, 24)
    lines = drawn(many, 80, 24)
    assert "gpu  400 busy" in lines
    assert lines.count("█" * 80) == 5


def test_nodes_stand_in_the_order_of_their_numbers() -> None:
    live = LiveState()
    for number, state in ((10, "down"), (9, "busy"), (2, "idle")):
        live.update(node_event(1, f"cpu-{number}", state))
    assert live.queues() == {"cpu": ["idle", "busy", "down"]}


def test_nodes_that_come_together_are_told_together() -> None:
    live = LiveState()
    for number in range(1, 5):
        live.update(node_event(5 + number / 10, f"cpu-{number}", "busy"))
    live.update(node_event(9, "cpu-5", "busy"))
    assert [group.words for group in live.recent] == ["cpu-[1-4] are busy", "cpu-5 is busy"]


def test_launches_in_different_pools_are_shown_apart() -> None:
    live = LiveState()
    for number, pool in enumerate(("c7i.large in use2-az1, spot", "c7i.large in use2-az2, spot"), 1):
        words = f"machine i-{number} is launched for cpu-{number}"
        node = f"cpu-{number}"
        live.update(Event(t=1, kind=Kind.CLOUD, code=Code.LAUNCHED, words=words, node=node, pool=pool))
    assert len(live.recent) == 2


def test_the_code_of_an_event_decides_and_not_its_sentence() -> None:
    live = LiveState()
    for number, code in enumerate((Code.TERMINATED, Code.DIED), 1):
        live.update(Event(t=1, kind=Kind.CLOUD, code=code, words=f"machine {number} goes", node=f"cpu-{number}"))
    assert len(live.recent) == 2


def test_launches_that_are_alike_are_told_together() -> None:
    live = LiveState()
    for number in (1, 2, 3):
        words = f"machine i-000{number} is launched for cpu-{number}: hpc6a.48xlarge"
        live.update(Event(t=1, kind=Kind.CLOUD, code=Code.LAUNCHED, words=words, node=f"cpu-{number}"))
    live.update(Event(t=1, kind=Kind.CLOUD, code=Code.NO_CAPACITY, words="no capacity: hpc6a.48xlarge"))
    assert [group.words for group in live.recent] == [
        "3× machine i-0001 is launched for cpu-1: hpc6a.48xlarge", "no capacity: hpc6a.48xlarge",
    ]  # fmt: skip


def test_a_running_job_is_shown_before_ended_ones() -> None:
    live = LiveState()
    for number in range(1, 8):
        state = "RUNNING" if number == 2 else "COMPLETED"
        live.update(Event(t=number, kind=Kind.JOB, words=f"job {number}", job=number, state=state))
    lines = drawn(live, 80, 24, elapsed=10)
    assert "job 2 RUNNING for 8.0 s" in lines
    assert "job 7 COMPLETED at 7.0 s" in lines
    assert "and 3 more jobs" in lines


def test_anywhere_else_each_event_is_a_line() -> None:
    out = StringIO()
    with live_view("Rehearsal of cfd", out) as shown:
        for event in spot().events:
            shown.show(event)
    assert out.getvalue().splitlines() == [line_of(event) for event in spot().events]
    assert "\x1b" not in out.getvalue()


def test_a_line_has_time_kind_and_result() -> None:
    assert line_of(spot().events[0]) == "   0.0 s  step   the head node starts"
    assert line_of(spot().events[-2]) == "  81.0 s  check  passed: the job printed the hello of all 32 ranks"
    assert line_of(Event(t=1, kind=Kind.NOTE, words="a\nb\x1b[2J")) == "   1.0 s  note   a b\\x1b[2J"


def test_a_dumb_terminal_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "dumb")
    out = Terminal()
    with live_view("Rehearsal of cfd", out) as shown:
        shown.show(spot().events[0])
    assert out.getvalue() == "   0.0 s  step   the head node starts\n"


PLAY = """
import sys
sys.path.insert(0, sys.argv[1])
from rehearsal_sample import spot
from hpc_components.rehearse.show.live import live_view
with live_view("Rehearsal of cfd") as shown:
    for event in spot().events:
        shown.show(event)
    with shown.suspended():
        print("a shell")
print("over")
"""


def test_a_terminal_gets_a_picture_that_goes_away(start: Start) -> None:
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
    command = [sys.executable, "-c", PLAY, str(Path(__file__).parent)]
    process = start(command, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    written = b""
    while True:
        try:
            written += os.read(ours, 2**16)
        except OSError:  # Linux's way of saying that the other end is closed
            break
    os.close(ours)
    assert process.wait() == 0, written
    text = written.decode()
    assert "Rehearsal of cfd" in text
    assert "job 1" in text
    assert text.index("\x1b[?25l") < text.index("\x1b[?25h") < text.index("a shell")  # the cursor is hidden and back
    between = text[text.index("a shell") : text.index("Rehearsal of cfd", text.index("a shell"))]
    assert "\x1b[1A" not in between  # what the shell wrote is not drawn over
    assert text.rindex("\x1b[2K") < text.rindex("over")  # the picture is gone before what follows


def test_many_events_are_heard_fast_enough() -> None:
    live = LiveState()
    for life in university().nodes:
        for span in life.spans:
            live.update(node_event(span.begin, life.name, span.state))
    assert len(live.nodes) == 400
    assert len(live.recent) <= 100
