"""Lays out the timeline in pixels. Colours and fonts are defined in the templates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hpc_components.rehearse.job_states import ENDED
from hpc_components.rehearse.result import Rehearsal
from hpc_components.rehearse.show import wording
from hpc_components.rehearse.show.timeline import Mark, Piece, Row, columns, job_rows, marks, node_rows, ticks
from hpc_components.rehearse.show.wording import Look
from hpc_components.wording import plural

_NODES, _JOBS = 40, 24
"""Maximum numbers of node rows and job rows."""

_LETTER = 7.6
"""Width in pixels of a letter in a 12.5 px font, rounded up."""

_GAP = 14
"""Vertical gap in pixels between nodes and jobs, and between the drawing and the legend."""


@dataclass(frozen=True, kw_only=True)
class Paper:
    width: int
    beside: bool
    """Whether labels are placed beside their bars rather than above them."""


WIDE = Paper(width=1120, beside=True)
"""Layout for a full-width page or screen."""

MEDIUM = Paper(width=680, beside=True)
"""Layout for a tablet in portrait mode, or half a screen."""

NARROW = Paper(width=400, beside=False)
"""Layout for a phone."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    x: float
    y: float
    width: float
    look: Look
    word: str
    """Text inside the bar; empty if the bar is too narrow for the text."""
    title: str
    """Tooltip text."""


@dataclass(frozen=True, kw_only=True)
class End:
    """How a job ended."""

    x: float
    y: float
    word: str
    well: bool


@dataclass(frozen=True, kw_only=True)
class Label:
    x: float
    y: float
    text: str


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A tick on the time axis."""

    x: float
    text: str
    last: bool
    """Whether the text must be right-aligned, because it would otherwise extend past the right edge."""


@dataclass(frozen=True, kw_only=True)
class Flag:
    """The position of a mark on the time axis."""

    x: float
    mark: Mark


@dataclass(frozen=True, kw_only=True)
class Swatch:
    x: float
    y: float
    look: Look


@dataclass(frozen=True, kw_only=True)
class Picture:
    """The complete drawing. Grid lines extend from the axis at `top` down to `bottom`."""

    width: float
    height: float
    top: float
    bottom: float
    bars: tuple[Bar, ...]
    ends: tuple[End, ...]
    labels: tuple[Label, ...]
    axis: tuple[Axis, ...]
    flags: tuple[Flag, ...]
    legend: tuple[Swatch, ...]
    thickness: float = 14
    """Bar height in pixels."""


def draw(rehearsal: Rehearsal, paper: Paper) -> Picture:
    nodes, more_nodes = node_rows(rehearsal, _NODES)
    jobs, more_jobs = job_rows(rehearsal, _JOBS)
    more = (_more(more_nodes, "node"), _more(more_jobs, "job"))
    page = _Page(paper, rehearsal, [*(row.label for row in nodes + jobs), *more], flags=bool(marks(rehearsal)))
    for rows, rest in ((nodes, more[0]), (jobs, more[1])):
        page.rows(rows, rest)
    return page.picture(wording.legend(span.state for row in nodes + jobs for span in row.spans))


def _more(number: int, noun: str) -> str:
    return f"and {plural(number, f'more {noun}')}" if number else ""


class _Page:
    """A drawing under construction, filled row by row from the top."""

    def __init__(self, paper: Paper, rehearsal: Rehearsal, labels: Sequence[str], *, flags: bool) -> None:
        self._paper, self._rehearsal = paper, rehearsal
        longest = max((len(label) for label in labels), default=0) * _LETTER + 14
        self._left = min(longest, paper.width / 4) if paper.beside else 0
        self._width = int(paper.width - self._left - 8)
        self._flags = flags
        self._top = 42 if flags else 20
        self._y = self._top + 8.0
        self._bars: list[Bar] = []
        self._ends: list[End] = []
        self._labels: list[Label] = []

    def rows(self, rows: Sequence[Row], rest: str) -> None:
        """Draw rows for nodes or jobs, followed by `rest`, a note on what was left out."""
        for row in rows:
            self._row(row)
        if rest:
            self._labels.append(Label(x=0, y=self._y + 12, text=rest))
            self._y += 22
        self._y += _GAP if rows else 0

    def picture(self, looks: Sequence[Look]) -> Picture:
        bottom = self._y - _GAP + 4
        legend = tuple(self._legend(looks, bottom + _GAP + 8))
        duration = self._rehearsal.duration
        flags = [Flag(x=self._at(mark.t), mark=mark) for mark in marks(self._rehearsal)] if self._flags else []
        return Picture(
            width=self._paper.width,
            height=max([bottom, *(swatch.y + 22 for swatch in legend)]),
            top=self._top,
            bottom=bottom,
            bars=tuple(self._bars),
            ends=tuple(self._ends),
            labels=tuple(self._labels),
            axis=tuple(self._tick(t, text) for t, text in ticks(duration, self._width // 75)),
            flags=tuple(flags),
            legend=legend,
        )

    def _row(self, row: Row) -> None:
        if self._paper.beside:
            self._labels.append(Label(x=0, y=self._y + 11.5, text=_fit(row.label, self._left - 10)))
        else:
            self._labels.append(Label(x=0, y=self._y + 11.5, text=_fit(row.label, self._paper.width)))
            self._y += 18
        for piece in columns(row.spans, self._rehearsal.duration, self._width):
            self._piece(row, piece)
        self._y += 22 if self._paper.beside else 24

    def _piece(self, row: Row, piece: Piece) -> None:
        span, x, width = piece.span, self._left + piece.first, piece.end - piece.first
        look = wording.look(span.state)
        if look:
            word = span.state.lower().replace("_", " ")
            times = f"{wording.seconds(span.begin)} to {wording.seconds(span.end)}"
            shown = word if len(word) * _LETTER + 8 <= width else ""
            title = f"{row.label}: {word} from {times}"
            self._bars.append(Bar(x=x, y=self._y, width=width, look=look, word=shown, title=title))
        elif span.state in ENDED:
            well = span.state == "COMPLETED"
            word = span.state.lower().replace("_", " ")
            short = len(word) * _LETTER + 8 > width
            sign = wording.GOOD if well else wording.BAD
            self._ends.append(End(x=x + 4, y=self._y + 11.5, word=sign if short else f"{sign} {word}", well=well))

    def _legend(self, looks: Sequence[Look], top: float) -> Iterator[Swatch]:
        x, y = 0.0, top
        for look in looks:
            width = 22 + len(look.words) * _LETTER + 18
            if x and x + width > self._paper.width:
                x, y = 0.0, y + 22
            yield Swatch(x=x, y=y, look=look)
            x += width

    def _tick(self, t: float, text: str) -> Axis:
        x = self._at(t)
        return Axis(x=x, text=text, last=x + len(text) * _LETTER > self._paper.width)

    def _at(self, t: float) -> float:
        duration = self._rehearsal.duration
        return self._left + (self._width * min(t / duration, 1) if duration > 0 else 0)


def _fit(text: str, width: float) -> str:
    letters = int(width / _LETTER)
    return text if len(text) <= letters else f"{text[: max(letters - 1, 1)]}…"
