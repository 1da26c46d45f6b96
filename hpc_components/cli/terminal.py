"""Determines a terminal's width and colours, and wraps text."""

import os
import textwrap
from typing import TextIO

USUAL_WIDTH = 80
"""Width in columns to use for a terminal of unknown width, and for output that doesn't go to a terminal."""


def in_colour(stream: TextIO) -> bool:
    """Return whether to use colours. They are used only on a terminal, and only if NO_COLOR is unset."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def terminal_width(stream: TextIO) -> int | None:
    """Return a terminal's width in columns, or None if `stream` is not a terminal. COLUMNS overrides the width."""
    if not stream.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    return os.get_terminal_size(stream.fileno()).columns or USUAL_WIDTH


def wrapped(text: str, stream: TextIO, *, indent: int = 0) -> str:
    """Return `text` wrapped at words to the terminal's width, with continuation lines indented.

    If `stream` is not a terminal, the text is not wrapped.
    """
    width = terminal_width(stream)
    if width is None:
        return text
    fold = textwrap.TextWrapper(width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(fold.fill(line) for line in text.split("\n"))
