"""Times cut into columns, many nodes folded into few rows: what the text and the picture of a rehearsal share."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hpc_components.elastic.names import number_of, queue_of, tag_of
from hpc_components.rehearse.result import Event, JobLife, Kind, NodeLife, NodeState, Rehearsal, Span

__all__ = ["Mark", "Piece", "Row", "columns", "fold_names", "job_rows", "marks", "node_rows", "ticks"]

_COARSE = 24
"""Columns in which nodes must look the same to stand in one row."""

_STEPS = (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600)

_Life = TypeVar("_Life", NodeLife, JobLife)

_TROUBLE = {NodeState.DOWN, NodeState.DRAINING}


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A time in one state, in columns."""

    span: Span
    """What it shows."""
    first: int
    """Its first column."""
    end: int
    """The column after its last one."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the timeline: a node or a job, or several that live alike."""

    label: str
    """`compute-queue-[1-4]`, `job 7 mpi-hello`, `jobs 8-12 mpi-hello`."""
    lives: tuple[NodeLife, ...] | tuple[JobLife, ...]
    """What stands in it."""

    @property
    def spans(self) -> tuple[Span, ...]:
        """Of the first of them."""
        return self.lives[0].spans


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Something that was put in or refused, to be seen on the timeline."""

    number: int
    """1, 2, 3 in order of time."""
    t: float
    """Seconds since the rehearsal began."""
    fault: bool
    """A fault that was put in; else the cloud had no machines to give."""
    words: str
    """What happened."""


def columns(spans: Sequence[Span], duration: float, width: int) -> tuple[Piece, ...]:
    """`spans`, in order of time, laid into `width` columns that stand for `duration` seconds.

    No two share a column, and each has at least one; of more spans than columns the shortest are left out.
    """
    if width < 1 or duration <= 0:
        return ()
    shown = _longest(spans, width)
    starts: list[int] = []
    for place, span in enumerate(shown):
        earliest = starts[-1] + 1 if starts else 0
        latest = width - (len(shown) - place)
        starts.append(min(max(int(min(span.begin, duration) * width / duration), earliest), latest))
    ends = [*starts[1:], width]
    for place, (span, later) in enumerate(zip(shown, [*shown[1:], None], strict=True)):
        if later is None or later.begin > span.end:
            ends[place] = min(ends[place], max(starts[place] + 1, round(min(span.end, duration) * width / duration)))
    return tuple(Piece(span=span, first=first, end=end) for span, first, end in zip(shown, starts, ends, strict=True))


def _longest(spans: Sequence[Span], most: int) -> list[Span]:
    by_length = sorted(range(len(spans)), key=lambda place: spans[place].begin - spans[place].end)
    return [spans[place] for place in sorted(by_length[:most])]


def node_rows(rehearsal: Rehearsal, most: int) -> tuple[tuple[Row, ...], int]:
    """A row for each node; where there are more than `most`, for each set of a queue's nodes that live alike.

    Where even that is more than `most`, rows in which something went wrong are kept first; the number is that of the
    nodes left out.
    """
    groups = _alike(rehearsal.nodes, rehearsal.duration, most, lambda node: queue_of(node.name))
    kept = _most_telling(groups, most, lambda node: any(span.state in _TROUBLE for span in node.spans))
    rows = tuple(Row(label=fold_names(node.name for node in group), lives=group) for group in kept)
    return rows, len(rehearsal.nodes) - sum(map(len, kept))


def job_rows(rehearsal: Rehearsal, most: int) -> tuple[tuple[Row, ...], int]:
    """The same for jobs: those of one name and queue that live and end alike."""
    groups = _alike(
        rehearsal.jobs, rehearsal.duration, most, lambda job: (job.name, job.queue, job.restarts, job.exit_code)
    )
    kept = _most_telling(groups, most, lambda job: job.restarts > 0 or job.exit_code != "0:0")
    return tuple(_job_row(group) for group in kept), len(rehearsal.jobs) - sum(map(len, kept))


def _job_row(jobs: tuple[JobLife, ...]) -> Row:
    if len(jobs) == 1:
        return Row(label=f"job {jobs[0].id} {jobs[0].name}", lives=jobs)
    ids = tag_of([f"-{job.id}" for job in jobs]).replace(".", ",")
    return Row(label=f"jobs {ids} {jobs[0].name}", lives=jobs)


def _alike(
    lives: Sequence[_Life], duration: float, most: int, kind: Callable[[_Life], Hashable]
) -> list[tuple[_Life, ...]]:
    if len(lives) <= most:
        return [(life,) for life in lives]
    groups: dict[Hashable, list[_Life]] = {}
    for life in lives:
        pieces = columns(life.spans, duration, _COARSE)
        key = (kind(life), *((piece.span.state, piece.first, piece.end) for piece in pieces))
        groups.setdefault(key, []).append(life)
    return [tuple(group) for group in groups.values()]


def _most_telling(
    groups: list[tuple[_Life, ...]], most: int, troubled: Callable[[_Life], bool]
) -> list[tuple[_Life, ...]]:
    by_trouble = sorted(range(len(groups)), key=lambda place: not troubled(groups[place][0]))
    return [groups[place] for place in sorted(by_trouble[:most])]


def fold_names(names: Iterable[str]) -> str:
    """Node names as Slurm writes them: `compute-queue-[1-4,7],gpu-1`. What is no node's name stays as it is."""
    numbered: dict[str, list[int]] = {}
    others: list[str] = []
    for name in names:
        try:
            numbered.setdefault(queue_of(name), []).append(number_of(name))
        except ValueError:
            others.append(name)
    return ",".join([*(_hostlist(queue, numbers) for queue, numbers in numbered.items() if numbers), *others])


def _hostlist(queue: str, numbers: Iterable[int]) -> str:
    tag = tag_of([f"{queue}-{number}" for number in sorted(set(numbers))])
    return f"{queue}-{tag}" if tag.isdecimal() else f"{queue}-[{tag.replace('.', ',')}]"


def marks(rehearsal: Rehearsal) -> tuple[Mark, ...]:
    """Faults that were put in, and times when the cloud had no machines to give; what repeats itself once."""
    events = sorted(filter(_is_marked, rehearsal.events), key=lambda event: event.t)
    told: list[Event] = []
    for event in events:
        if not any((event.kind, event.words) == (other.kind, other.words) for other in told):
            told.append(event)
    return tuple(
        Mark(number=number, t=event.t, fault=event.kind is Kind.FAULT, words=event.words)
        for number, event in enumerate(told, 1)
    )


def _is_marked(event: Event) -> bool:
    return event.kind is Kind.FAULT or (event.kind is Kind.CLOUD and event.words.startswith("no capacity"))


def ticks(duration: float, most: int) -> tuple[tuple[int, str], ...]:
    """Round seconds for an axis from 0 to `duration`, `most` at most, and how each is written: `20 s`, `2:30`."""
    step = next((step for step in _STEPS if duration / step < most), None)
    if step is None:
        step = _STEPS[-1] * (int(duration / _STEPS[-1] / max(most, 1)) + 1)
    times = range(0, int(duration) + 1, step)
    return tuple((t, f"{t} s" if duration < 120 else f"{t // 60}:{t % 60:02}") for t in times)
