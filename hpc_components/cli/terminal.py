import os
import textwrap
from typing import TextIO

USUAL_WIDTH = 80
"""Width in columns if there is no terminal, or if its width is unknown."""


def in_colour(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def terminal_width(stream: TextIO) -> int | None:
    if not stream.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    return os.get_terminal_size(stream.fileno()).columns or USUAL_WIDTH


def wrapped(text: str, stream: TextIO, *, indent: int = 0) -> str:
    """Wrap `text` to the terminal's width, and indent continuation lines.

    If `stream` is not a terminal, return the text unchanged.
    """
    width = terminal_width(stream)
    if width is None:
        return text
    fold = textwrap.TextWrapper(width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(fold.fill(line) for line in text.split("\n"))
