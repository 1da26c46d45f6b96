"""Building blocks of reports: tables, and the frame of a page.

Texts are stored unescaped; each printer escapes them as needed.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Literal


@dataclass(frozen=True)
class Column:
    """A table column. In text and Markdown, all columns except the first are right-aligned."""

    title: str
    short: str = ""
    """Shorter title for terminals, or empty to use `title`."""
    number: bool = True
    """Whether the column contains numbers, which are right-aligned on pages."""
    aside: bool = False
    """Whether pages hide the column on narrow screens."""
    page_only: bool = False
    look: Literal["", "code", "soft"] = ""


def words(title: str, **more: Any) -> Column:
    """Return a column of text, which is left-aligned on pages."""
    return Column(title, number=False, **more)


@dataclass(frozen=True)
class Cell:
    text: str
    """The cell's text. Only pages keep line breaks."""
    soft: str = ""
    """Text that pages show after `text`, in a muted colour."""
    notes: tuple[int, ...] = ()


Row = tuple[Cell, ...]


class Table:
    """A table whose first column contains the row names.

    Args:
        label: description of the table for screen readers.
        columns: the columns. A plain string stands for a column of numbers, or of names if it comes first.
        rows: the cells of each row. A plain string stands for a cell.
        total: the row of totals, if any. It is the first row in Markdown, and the last row in other formats.
        wraps: whether a narrow terminal wraps the first column before replacing rows with paragraphs.

    Raises:
        ValueError: The number of cells in a row differs from the number of columns.
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
            raise ValueError(
                f"{self.label}: a row has {len(row)} cells, but the table has {len(self.columns)} columns"
            )
        return row

    def without_page_columns(self) -> "Table":
        shown = [not column.page_only for column in self.columns]
        rows = (compress(row, shown) for row in self.rows)
        total = tuple(compress(self.total, shown))
        return Table(self.label, tuple(compress(self.columns, shown)), rows, total=total, wraps=self.wraps)


class Footnotes:
    """Footnotes, numbered in order of first use."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def numbers(self, notes: Iterable[str]) -> tuple[int, ...]:
        """Return the numbers of these notes, assigning the next free numbers to new notes."""
        return tuple(sorted(self._numbers.setdefault(note, len(self._numbers) + 1) for note in notes))

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return iter((number, note) for note, number in self._numbers.items())


@dataclass(frozen=True)
class Figure:
    """A key figure at the top of a page."""

    name: str
    value: str
    words: str
    """Text next to the value: what the value counts, or a second value."""
    look: str = ""
    """CSS class."""


@dataclass(frozen=True)
class Section:
    """A page section, as listed in the page's navigation."""

    anchor: str
    title: str
    words: str = ""
    """Text after the link in the navigation."""


@dataclass(frozen=True, kw_only=True)
class Page:
    """Everything on a page except the contents of its sections."""

    title: str
    """Title of the browser tab."""
    heading: str
    where: str = ""
    """Line below the heading, e.g. the cloud and region."""
    note: str = ""
    figures: tuple[Figure, ...] = ()
    skip_to: str
    """Name of the first section, for the link that skips the page header."""
    sections: tuple[Section, ...]
    """The page's sections, listed in the navigation if there are several."""
    sections_are: str = "Sections"
    """Name of the section list, for screen readers."""
    footer: str
