"""Computes the timeline shown in both the text report and the picture.

Converts times to columns, and combines similar nodes or jobs so that they fit in a few rows.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from hpc_components.elastic.names import number_of, queue_of, tag_of
from hpc_components.rehearse.events import Code, Event, Kind, NodeState
from hpc_components.rehearse.result import JobLife, NodeLife, Rehearsal, Span

_COARSE = 24
"""Number of columns used to compare nodes. Nodes that look the same at this resolution may share a row."""

_STEPS = (1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600)

_Life = TypeVar("_Life", NodeLife, JobLife)

_FAILING = {NodeState.DOWN, NodeState.DRAINING}


@dataclass(frozen=True, kw_only=True)
class Piece:
    span: Span
    first: int
    end: int
    """The first column after this piece."""


@dataclass(frozen=True, kw_only=True)
class Row(Generic[_Life]):
    """A timeline row: one node or job, or several that were in the same states at the same times."""

    label: str
    """Label such as `compute-queue-[1-4]`, `job 7 mpi-hello` or `jobs 8-12 mpi-hello`."""
    lives: tuple[_Life, ...]

    @property
    def spans(self) -> tuple[Span, ...]:
        return self.lives[0].spans


@dataclass(frozen=True, kw_only=True)
class Mark:
    """An injected fault or a capacity refusal, marked on the timeline."""

    number: int
    """Number of the mark, starting at 1 and in chronological order."""
    t: float
    """Seconds since the start of the rehearsal."""
    fault: bool
    """Whether this is an injected fault rather than a lack of cloud capacity."""
    words: str


def columns(spans: Sequence[Span], duration: float, width: int) -> tuple[Piece, ...]:
    """Place chronological `spans` in `width` columns that represent `duration` seconds.

    Each span takes up at least one column. If there are more spans than columns, the shortest spans are left out.
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


def node_rows(rehearsal: Rehearsal, most: int) -> tuple[tuple[Row[NodeLife], ...], int]:
    """Return (rows, number of nodes left out), with one row per node if there are at most `most` nodes.

    Otherwise, nodes of a queue that look the same share a row. If there are still more than `most` rows, rows with
    failed nodes take precedence.
    """
    groups = _grouped(rehearsal.nodes, rehearsal.duration, most, lambda node: queue_of(node.name))
    kept = _most_relevant(groups, most, lambda node: any(span.state in _FAILING for span in node.spans))
    rows = tuple(Row(label=fold_names(node.name for node in group), lives=group) for group in kept)
    return rows, len(rehearsal.nodes) - sum(map(len, kept))


def job_rows(rehearsal: Rehearsal, most: int) -> tuple[tuple[Row[JobLife], ...], int]:
    """Return (rows, number of jobs left out), as `node_rows` does for nodes.

    Jobs share a row only if they have the same name, queue, restart count and exit code.
    """
    groups = _grouped(
        rehearsal.jobs, rehearsal.duration, most, lambda job: (job.name, job.queue, job.restarts, job.exit_code)
    )
    kept = _most_relevant(groups, most, lambda job: job.restarts > 0 or job.exit_code != "0:0")
    return tuple(_job_row(group) for group in kept), len(rehearsal.jobs) - sum(map(len, kept))


def _job_row(jobs: tuple[JobLife, ...]) -> Row[JobLife]:
    if len(jobs) == 1:
        return Row(label=f"job {jobs[0].id} {jobs[0].name}", lives=jobs)
    ids = tag_of([f"-{job.id}" for job in jobs]).replace(".", ",")
    return Row(label=f"jobs {ids} {jobs[0].name}", lives=jobs)


def _grouped(
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


def _most_relevant(
    groups: list[tuple[_Life, ...]], most: int, failing: Callable[[_Life], bool]
) -> list[tuple[_Life, ...]]:
    by_relevance = sorted(range(len(groups)), key=lambda place: not failing(groups[place][0]))
    return [groups[place] for place in sorted(by_relevance[:most])]


def fold_names(names: Iterable[str]) -> str:
    """Fold node names into a host list, e.g. `compute-queue-[1-4,7],gpu-1`. Names without a node number are listed
    unchanged.
    """
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
    """Return marks for injected faults and capacity refusals. Events that differ only in time share a mark."""
    first: dict[Event, Event] = {}
    for event in sorted(filter(_is_marked, rehearsal.events), key=lambda event: event.t):
        first.setdefault(replace(event, t=0.0), event)
    return tuple(
        Mark(number=number, t=event.t, fault=event.kind is Kind.FAULT, words=event.words)
        for number, event in enumerate(first.values(), 1)
    )


def _is_marked(event: Event) -> bool:
    return event.kind is Kind.FAULT or event.code is Code.NO_CAPACITY


def ticks(duration: float, most: int) -> tuple[tuple[int, str], ...]:
    """Return at most `most` ticks for an axis from 0 to `duration` seconds.

    Each tick is a tuple of seconds and label, such as `(20, "20 s")` or `(150, "2:30")`.
    """
    step = next((step for step in _STEPS if duration / step < most), None)
    if step is None:
        step = _STEPS[-1] * (int(duration / _STEPS[-1] / max(most, 1)) + 1)
    times = range(0, int(duration) + 1, step)
    return tuple((t, f"{t} s" if duration < 120 else f"{t // 60}:{t % 60:02}") for t in times)
