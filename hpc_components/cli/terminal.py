"""Width and colours of a terminal."""

import os
import textwrap
from typing import TextIO

USUAL_WIDTH = 80
"""Columns of a terminal of unknown width, and of output that does not go to a terminal."""


def in_colour(stream: TextIO) -> bool:
    """Return whether to use colours: only on a terminal, unless NO_COLOR is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def terminal_width(stream: TextIO) -> int | None:
    """Return the columns of the terminal `stream`, or the value of COLUMNS; None if it is not a terminal."""
    if not stream.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    return os.get_terminal_size(stream.fileno()).columns or USUAL_WIDTH


def wrapped(text: str, stream: TextIO, *, indent: int = 0) -> str:
    """Return `text` wrapped at words to the width of the terminal `stream`, with continuation lines indented."""
    width = terminal_width(stream)
    if width is None:
        return text
    fold = textwrap.TextWrapper(width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(fold.fill(line) for line in text.split("\n"))
