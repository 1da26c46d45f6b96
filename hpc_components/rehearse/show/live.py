import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import IO

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.live import Live
from rich.text import Text

from hpc_components.rehearse.events import Event, Kind, NodeState
from hpc_components.rehearse.job_states import ENDED
from hpc_components.rehearse.show import wording
from hpc_components.rehearse.show.live_state import EventGroup, LiveState, cells
from hpc_components.wording import plural

_JOBS = 4
"""Maximum number of jobs shown at a time."""

_EVENTS = 12
"""Maximum number of events shown at a time."""

_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

_PER_SECOND = 4
"""Redraws per second."""

_SIGNS = {
    Kind.STEP: ("›", "bold"),
    Kind.NODE: (" ", ""),
    Kind.JOB: ("▸", "cyan"),
    Kind.CLOUD: ("◦", "dim"),
    Kind.FAULT: ("!", "bold red"),
    Kind.NOTE: ("·", "dim"),
}


class EventLines:
    """Prints one line per event. Safe to use from any thread."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def show(self, event: Event) -> None:
        self.print(line_of(event))

    def print(self, words: str) -> None:
        print(words, file=self._stream, flush=True)

    @contextmanager
    def suspended(self) -> Generator[None, None, None]:
        """Do nothing: events are still printed while another program uses the terminal."""
        yield


def line_of(event: Event) -> str:
    """Format an event as a line, e.g. `  12.3 s  node   spot-2 is draining`."""
    result = f"{event.state}: " if event.kind is Kind.CHECK else ""
    return wording.one_line(f"{event.t:6.1f} s  {event.kind:5}  {result}{event.words}")


class LiveScreen:
    """Shows nodes, jobs and events on a terminal, and clears the display when stopped. Safe to use from any
    thread.
    """

    def __init__(self, title: str, stream: IO[str]) -> None:
        self._title, self._state, self._lock = title, LiveState(), threading.Lock()
        self._began = time.monotonic()
        self._console = Console(file=stream, highlight=False)
        self._live = self._new_live()

    def start(self) -> None:
        self._live.start()

    def stop(self) -> None:
        self._live.stop()
        self._live = self._new_live()  # restarting a stopped display would erase the lines it has already drawn

    def _new_live(self) -> Live:
        return Live(self, console=self._console, refresh_per_second=_PER_SECOND, transient=True)

    def show(self, event: Event) -> None:
        with self._lock:
            self._began = time.monotonic() - event.t
            self._state.update(event)

    def print(self, words: str) -> None:
        """Print text above the display, where it remains."""
        self._console.print(Text(words))

    @contextmanager
    def suspended(self) -> Generator[None, None, None]:
        self.stop()
        try:
            yield
        finally:
            self.start()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        with self._lock:
            elapsed = time.monotonic() - self._began
            picture = draw(self._title, self._state, elapsed, options.max_width, options.size.height)
        yield picture


@contextmanager
def live_view(title: str, stream: IO[str] | None = None) -> Generator[EventLines | LiveScreen, None, None]:
    """Yield a `LiveScreen` if `stream` (default: standard error) is a capable terminal, otherwise `EventLines`."""
    stream = stream or sys.stderr
    if not stream.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        yield EventLines(stream)
        return
    screen = LiveScreen(title, stream)
    screen.start()
    try:
        yield screen
    finally:
        screen.stop()


def draw(title: str, state: LiveState, elapsed: float, width: int, height: int) -> Group:
    """Render the state after `elapsed` seconds, to fit on a terminal of `width` by `height` characters."""
    head, jobs, queues = list(_head(title, state, elapsed)), _jobs(state, elapsed), state.queues()
    rest = height - 1 - len(head) - len(jobs) - 3
    high = max((rest - 5 - len(queues)) // max(len(queues), 1), 1)
    label = max(map(len, queues), default=0)
    grids = [line for queue, states in queues.items() for line in _queue(queue, states, label, width, high)]
    most = max(min(rest - len(grids), _EVENTS), 1)
    events = [_event(group, width) for group in list(state.recent)[-most:]]
    lines: list[Text] = []
    for part in filter(None, (head, grids, jobs, events)):
        lines += [Text(), *part] if lines else part
    return Group(*lines[: height - 1])


def _head(title: str, state: LiveState, elapsed: float) -> Iterator[Text]:
    yield Text.assemble((wording.literal(title), "bold"), ("  ", ""), (wording.seconds(elapsed), "cyan"))
    if state.step:
        sign = _SPINNER[int(elapsed * _PER_SECOND) % len(_SPINNER)]
        yield _line((f"{sign} ", "cyan"), (state.step, ""))


def _queue(queue: str, states: list[str], label: int, width: int, high: int) -> Iterator[Text]:
    """Yield the lines for a queue: its nodes as cells, and the number of nodes in each state.

    Uses a single line if everything fits, and up to 1 + `high` lines otherwise.
    """
    counts = Counter(states)
    words = "  " + ", ".join(f"{counts[state]:,} {state}" for state in NodeState if counts[state])
    if label + 2 + 2 * len(states) + len(words) <= width:
        line = _line((f"{queue:{label}}  ", "bold"))
        for state in states:
            _cell(line, state)
            line.append(" ")
        yield line.append(words, "dim")
        return
    yield _line((queue, "bold"), (words, "dim"))
    shown = cells(states, width * high)
    for first in range(0, len(shown), width):
        line = Text(no_wrap=True, overflow="crop")
        for state in shown[first : first + width]:
            _cell(line, state)
        yield line


def _cell(line: Text, state: str) -> None:
    look = wording.look(state)
    line.append(look.glyph if look else "_", look.style if look else "bright_black")


def _jobs(state: LiveState, elapsed: float) -> list[Text]:
    """Return lines for at most `_JOBS` jobs, in order of job id. Unfinished and recent jobs take precedence."""
    by_need = sorted(state.jobs.values(), key=lambda job: (job.state in ENDED, -job.since))
    lines = []
    for job in sorted(by_need[:_JOBS], key=lambda job: job.id):
        if job.state in ENDED:
            style, since = "green" if job.state == "COMPLETED" else "bold red", f"at {wording.seconds(job.since)}"
        else:
            style, since = "cyan", f"for {wording.seconds(max(elapsed - job.since, 0))}"
        lines.append(_line((f"job {job.id} ", ""), (job.state, style), (f" {since}", "dim")))
    if len(by_need) > _JOBS:
        lines.append(_line((f"and {plural(len(by_need) - _JOBS, 'more job')}", "dim")))
    return lines


def _event(group: EventGroup, width: int) -> Text:
    event = group.event
    if event.kind is Kind.CHECK:
        held = event.state == "passed"
        sign, style = (wording.GOOD, "green") if held else (wording.BAD, "bold red")
    else:
        sign, style = _SIGNS[event.kind]
    text = _line((f"{event.t:6.1f}  ", "dim"), (f"{sign} ", style), (group.words, style))
    text.truncate(width, overflow="ellipsis")
    return text


def _line(*parts: tuple[str, str]) -> Text:
    line = Text(no_wrap=True, overflow="ellipsis")
    for words, style in parts:
        line.append(wording.one_line(words), style)
    return line
