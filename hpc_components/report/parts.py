"""The parts of a report: tables, and the head of a page. Texts are plain; each printer escapes them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Literal


@dataclass(frozen=True)
class Column:
    """A column of a table. In texts and Markdown all columns but the first are right-aligned."""

    title: str
    short: str = ""
    """Title on a terminal; empty if it is the same."""
    number: bool = True
    """Whether a page shows numbers here, right-aligned."""
    aside: bool = False
    """Whether a page hides the column on a narrow screen."""
    page_only: bool = False
    """Whether only a page has the column."""
    look: Literal["", "code", "soft"] = ""
    """Style of the cells on a page."""


def words(title: str, **more: Any) -> Column:
    """Return a column of words, left-aligned on a page."""
    return Column(title, number=False, **more)


@dataclass(frozen=True)
class Cell:
    """A cell of a table."""

    text: str
    """Only a page shows several lines."""
    soft: str = ""
    """Text after it, in a softer colour on a page."""
    notes: tuple[int, ...] = ()
    """Numbers of footnotes."""


Row = tuple[Cell, ...]


class Table:
    """A table whose first column names the rows.

    Args:
        label: what the table shows, for screen readers.
        columns: a plain title stands for a column of numbers, or of names if it is the first one.
        rows: a plain text stands for a cell.
        total: the row of totals, if there is one: the first one in Markdown, otherwise the last one.
        wraps: whether a terminal wraps the first column before it shows a paragraph for each row instead.

    Raises:
        ValueError: A row has another number of cells than there are columns.
    """

    def __init__(
        self,
        label: str,
        columns: Sequence[Column | str],
        rows: Iterable[Iterable[Cell | str]],
        *,
        total: Collection[Cell | str] = (),
        wraps: bool = False,
    ) -> None:
        self.label, self.wraps = label, wraps
        self.columns = tuple(
            Column(each, number=place > 0) if isinstance(each, str) else each for place, each in enumerate(columns)
        )
        self.rows = tuple(map(self._row, rows))
        self.total = self._row(total) if total else ()

    def _row(self, cells: Iterable[Cell | str]) -> Row:
        row = tuple(Cell(cell) if isinstance(cell, str) else cell for cell in cells)
        if len(row) != len(self.columns):
            raise ValueError(f"{self.label}: {len(row)} cells in a row, but {len(self.columns)} columns")
        return row

    def without_page_columns(self) -> "Table":
        """Return the table without the columns that only a page has."""
        shown = [not column.page_only for column in self.columns]
        rows = (compress(row, shown) for row in self.rows)
        total = tuple(compress(self.total, shown))
        return Table(self.label, tuple(compress(self.columns, shown)), rows, total=total, wraps=self.wraps)


class Footnotes:
    """Notes on cells, numbered in the order of first use."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def numbers(self, notes: Iterable[str]) -> tuple[int, ...]:
        """Return the numbers of these notes, adding new ones."""
        return tuple(sorted(self._numbers.setdefault(note, len(self._numbers) + 1) for note in notes))

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return iter((number, note) for note, number in self._numbers.items())


@dataclass(frozen=True)
class Figure:
    """A key figure at the head of a page."""

    name: str
    value: str
    words: str
    """What the value counts, or a second value."""
    look: str = ""
    """Class in the style sheet."""


@dataclass(frozen=True)
class Section:
    """A part of a page to which the page's navigation leads."""

    anchor: str
    title: str
    words: str = ""
    """Text after the link."""


@dataclass(frozen=True, kw_only=True)
class Page:
    """The frame of a page: everything except its sections."""

    title: str
    """Title of the browser's tab."""
    heading: str
    where: str = ""
    """The line below the heading."""
    note: str = ""
    figures: tuple[Figure, ...] = ()
    skip_to: str
    """Name of the first section, in the link that skips the head."""
    sections: tuple[Section, ...]
    """Listed if there are several."""
    sections_are: str = "Sections"
    """Name of the list of sections, for screen readers."""
    footer: str
