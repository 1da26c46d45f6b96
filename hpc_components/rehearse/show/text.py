from collections.abc import Iterator
from typing import IO

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from hpc_components.rehearse.job_states import ENDED
from hpc_components.rehearse.result import Rehearsal
from hpc_components.rehearse.show import wording
from hpc_components.rehearse.show.timeline import Mark, Row, columns, job_rows, marks, node_rows, ticks
from hpc_components.report.text import heading, joined, literal, plain_text, print_report
from hpc_components.wording import plural

_NODES, _JOBS = 24, 12
"""Maximum number of timeline rows for nodes and for jobs."""

_HEAD, _TAIL = 8, 8
"""Number of lines shown from the beginning and from the end of a job's output."""


def print_rehearsal(rehearsal: Rehearsal, file: IO[str] | None = None) -> None:
    """Print `rehearsal` to `file` (default: standard output), in colour if the file is a terminal and NO_COLOR is
    unset.
    """
    print_report(_whole(rehearsal), file)


def render_text(rehearsal: Rehearsal, width: int = 100) -> str:
    return plain_text(_whole(rehearsal), width)


def _whole(rehearsal: Rehearsal) -> Group:
    """Put the verdict last, because the end of the output is what remains visible on a terminal."""
    parts: list[RenderableType] = [*_title(rehearsal)]
    if rehearsal.changes:
        parts += [heading("Changed for this machine"), *_changes(rehearsal)]
    if rehearsal.output:
        parts += [heading("Output of the job"), *_output(rehearsal.output)]
    if rehearsal.accounting.strip():
        parts += [heading("Accounting"), _accounting(rehearsal.accounting)]
    if rehearsal.nodes or rehearsal.jobs:
        parts += [heading("Timeline"), _Timeline(rehearsal), *_jobs(rehearsal)]
    return Group(*parts, *_checks(rehearsal))


def _title(rehearsal: Rehearsal) -> Iterator[RenderableType]:
    yield literal(f"Rehearsal of {rehearsal.cluster}", "bold")
    yield literal(wording.setting(rehearsal))
    if other := wording.other_release(rehearsal):
        yield literal(other, "yellow")
    if rehearsal.command:
        yield joined(("$ ", "dim"), (rehearsal.command, "cyan"))
    if rehearsal.scale:
        yield literal(wording.scaling(rehearsal.scale))


def _changes(rehearsal: Rehearsal) -> Iterator[RenderableType]:
    for (file, why), changes in wording.grouped(rehearsal.changes):
        yield joined((file, "bold"), f": {why}")
        lines = Table.grid("", Column(overflow="fold"), padding=(0, 1, 0, 0))
        for change in changes:
            for sign, line, style in (("-", change.before, "red"), ("+", change.after, "green")):
                if line:
                    lines.add_row(literal(f"  {sign}", style), literal(line, style))
        yield lines


def _output(output: str) -> Iterator[RenderableType]:
    head, left_out, tail = wording.cut(output, _HEAD, _TAIL)
    yield from (Text(wording.literal(line)) for line in head)
    if left_out:
        yield literal(f"... {plural(left_out, 'line')} left out; --format json includes all of them", "dim")
    yield from (Text(wording.literal(line)) for line in tail)


def _accounting(rows: str) -> RenderableType:
    """Return the table printed by `sacct`, with columns only as wide as their contents."""
    heading, *rest = wording.cells_of(rows) or [[]]
    if not heading:
        return Text(wording.literal(rows.rstrip()))
    table = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim")
    for cell in heading:
        table.add_column(literal(cell), overflow="fold")
    for row in rest:
        table.add_row(*map(literal, row))
    return table


def _jobs(rehearsal: Rehearsal) -> Iterator[RenderableType]:
    rows, left_out = job_rows(rehearsal, _JOBS)
    for row in rows:
        job = row.lives[0]
        style = "green" if job.exit_code == "0:0" else "bold red"
        yield joined(f"{wording.job_summary(row)}: ", (wording.ending(job), style))
    if left_out:
        yield literal(f"and {plural(left_out, 'more job')}", "dim")


def _checks(rehearsal: Rehearsal) -> Iterator[RenderableType]:
    lines = Table.grid("", Column(overflow="fold"), padding=(0, 1, 0, 0))
    for check in rehearsal.checks:
        sign, style = (wording.GOOD, "green") if check.passed else (wording.BAD, "bold red")
        detail = f"  {check.detail}" if check.detail else ""
        lines.add_row(literal(sign, style), joined(check.what, (detail, "dim")))
    if rehearsal.checks:
        yield heading("Checks")
        yield lines
    style = "bold" if not rehearsal.checks else "bold green" if rehearsal.passed else "bold red"
    words = wording.verdict(rehearsal.checks)
    yield Padding(literal(f"{words}, in {wording.seconds(rehearsal.duration)}", style), (1, 0, 0, 0))


class _Timeline:
    def __init__(self, rehearsal: Rehearsal) -> None:
        self._rehearsal = rehearsal
        self._nodes, self._more = node_rows(rehearsal, _NODES)
        self._jobs, _ = job_rows(rehearsal, _JOBS)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows = [*self._nodes, *self._jobs]
        room = options.max_width
        label = min(max(len(row.label) for row in rows), room // 3)
        width = max(room - label - 1, 1)
        shown = marks(self._rehearsal)
        yield _line("", label, self._axis(width))
        yield from (self._row(row, label, width) for row in self._nodes)
        if self._more:
            yield literal(f"and {plural(self._more, 'more node')}", "dim")
        yield from (self._row(row, label, width) for row in self._jobs)
        if shown:
            yield _line("", label, self._marks(shown, width))
        yield from _mark_lines(shown)
        yield _legend(self._nodes + self._jobs)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(1, options.max_width)

    def _axis(self, width: int) -> Text:
        cells = [" "] * width
        for t, words in ticks(self._rehearsal.duration, max(width // 12, 2)):
            at = self._column(t, width)
            if at + len(words) <= width and not "".join(cells[max(at - 1, 0) : at + len(words)]).strip():
                cells[at : at + len(words)] = words
        return literal("".join(cells), "dim")

    def _marks(self, shown: tuple[Mark, ...], width: int) -> Text:
        cells = [" "] * width
        for mark in shown:
            words = str(mark.number)
            at = min(self._column(mark.t, width), max(width - len(words), 0))
            if not "".join(cells[at : at + len(words)]).strip():
                cells[at : at + len(words)] = words
        return literal("".join(cells[:width]), "bold red")

    def _row(self, row: Row, label: int, width: int) -> Text:
        line, at = Text(), 0
        for piece in columns(row.spans, self._rehearsal.duration, width):
            line.append(" " * (piece.first - at))
            at = piece.end
            look, room = wording.look(piece.span.state), piece.end - piece.first
            if look:
                line.append(look.glyph * room, look.style)
            elif piece.span.state in ENDED:
                well = piece.span.state == "COMPLETED"
                sign, style = (wording.GOOD, "green") if well else (wording.BAD, "bold red")
                line.append(sign, style).append(" " * (room - 1))
            else:
                line.append(" " * room)
        return _line(row.label, label, line)

    def _column(self, t: float, width: int) -> int:
        duration = self._rehearsal.duration
        if duration <= 0:
            return 0
        return width - 1 if t >= duration else int(t * width / duration)


def _line(label: str, room: int, rest: Text) -> Text:
    shown = wording.literal(label)
    shown = shown if len(shown) <= room else f"{shown[: room - 1]}…"
    return Text(f"{shown:{room}} ", no_wrap=True, overflow="crop").append_text(rest)


def _mark_lines(shown: tuple[Mark, ...]) -> Iterator[Text]:
    for mark in shown:
        yield joined((f"{mark.number:>2} ", "bold red"), f"{wording.seconds(mark.t)}: {mark.words}")


def _legend(rows: tuple[Row, ...]) -> Text:
    text = Text()
    for look in wording.legend(span.state for row in rows for span in row.spans):
        text.append("   " if text else "").append(look.glyph * 2, look.style).append(f" {look.words}", "dim")
    return text
