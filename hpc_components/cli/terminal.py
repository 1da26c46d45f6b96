"""Properties of a terminal: width and colour."""

import os
import textwrap
from typing import TextIO

__all__ = ["USUAL_WIDTH", "in_colour", "terminal_width", "wrapped"]

USUAL_WIDTH = 80
"""Columns of a terminal that does not say how many it has, and of output that does not go to one."""


def in_colour(stream: TextIO) -> bool:
    """Colour only on a terminal, and only if nobody asked for none (the NO_COLOR convention)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def terminal_width(stream: TextIO) -> int | None:
    """Columns of the terminal `stream`, or the value of COLUMNS; None if it is not a terminal."""
    if not stream.isatty():
        return None
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    return os.get_terminal_size(stream.fileno()).columns or USUAL_WIDTH


def wrapped(text: str, stream: TextIO, *, indent: int = 0) -> str:
    """`text` wrapped at words to the width of the terminal `stream`; continuation lines are indented."""
    width = terminal_width(stream)
    if width is None:
        return text
    fold = textwrap.TextWrapper(width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(fold.fill(line) for line in text.split("\n"))
