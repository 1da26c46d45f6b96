from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import IO, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from hpc_components.report.parts import Cell, Column, Table
from hpc_components.report.wording import place
from hpc_components.spec.printable import printable

_LEVELS = {"error": "bold red", "warning": "yellow", "info": "dim"}

_UNLIMITED = 10_000
"""Console width in characters, large enough for the natural width of any table."""

_FIRST_COLUMN = 16
"""Minimum width in characters of a wrapped first column."""


def print_report(report: RenderableType, file: IO[str] | None = None) -> None:
    """Print a report to `file` (default: standard output), in colour if the file is a terminal and NO_COLOR is
    unset.
    """
    Console(file=file, highlight=False).print(report)


def plain_text(report: RenderableType, width: int) -> str:
    """Return a report as plain text, `width` characters wide, without colours or trailing spaces."""
    out = StringIO()
    Console(file=out, width=width, color_system=None, force_terminal=False, highlight=False).print(report)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def literal(text: str, style: str = "") -> Text:
    """Return `text` as a renderable that is shown literally, with control characters made visible."""
    return Text(printable(text, keep="\n"), style=style)


def joined(*parts: tuple[str, str] | str) -> Text:
    return Text.assemble(*(literal(part) if isinstance(part, str) else literal(*part) for part in parts))


def heading(text: str) -> Padding:
    return Padding(literal(text, "bold"), (1, 0, 0, 0))


def indented(*lines: str) -> Padding:
    return Padding(literal("\n".join(map(printable, lines))), (0, 0, 0, 2))


def finding_lines(finding: Mapping[str, Any], more: Sequence[str] = (), word: str = "") -> Iterator[RenderableType]:
    """Yield a line with `word` (e.g. `new`) and the finding's level, rule, path and place, followed by the lines in
    `more`.
    """
    level = str(finding["level"])
    shown = place(finding)
    yield joined(
        f"{word} " if word else "",
        (level, _LEVELS.get(level, "")),
        f" {finding['id']} ",
        (finding["path"], "bold"),
        (f"  {shown}" if shown else "", "dim"),
    )
    if more:
        yield indented(*more)


def advice(finding: Mapping[str, Any]) -> tuple[str, ...]:
    return finding["reason"], *([f"→ {finding['remedy']}"] if finding["remedy"] else [])


@dataclass(frozen=True)
class TextTable:
    """A table as wide as the terminal, or one paragraph per row if the terminal is too narrow."""

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = self.table.without_page_columns()
        unlimited = options.update(max_width=_UNLIMITED)
        least = Measurement.get(console, unlimited, _grid(table, expand=False)).maximum
        if table.wraps:
            first = max((len(_cell(row[0])) for row in table.rows), default=0)
            least -= max(first - _FIRST_COLUMN, 0)
        yield _grid(table, expand=True) if least <= options.max_width else Group(*_paragraphs(table))


def _grid(table: Table, *, expand: bool) -> Grid:
    grid = Grid(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), expand=expand, header_style="dim")
    grid.add_column(_title(table.columns[0]), ratio=1, overflow="fold")
    for column in table.columns[1:]:
        grid.add_column(_title(column), justify="right", no_wrap=True)
    for row in table.rows:
        grid.add_row(*map(_cell, row))
    if table.total:
        grid.add_section()
        grid.add_row(_cell(table.total[0], "bold"), *map(_cell, table.total[1:]))
    return grid


def _title(column: Column) -> str:
    return column.short or column.title


def _cell(cell: Cell, style: str = "") -> Text:
    marked = ",".join(map(str, cell.notes))
    return literal(cell.text, style).append(f" [{marked}]" if marked else "", "dim")


def _paragraphs(table: Table) -> Iterator[RenderableType]:
    titles = [_title(column) for column in table.columns[1:]]
    for first, *others in (*table.rows, *filter(None, [table.total])):
        yield _cell(first, "bold")
        yield indented(
            ", ".join(f"{title}: {cell.text}" for title, cell in zip(titles, others, strict=True) if cell.text)
        )
