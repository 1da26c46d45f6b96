"""Reports for people, made of what `rich` can draw: on a terminal, or as plain text."""

from io import StringIO
from typing import IO

from rich.console import Console, RenderableType

__all__ = ["plain_text", "print_report"]


def print_report(report: RenderableType, file: IO[str] | None = None) -> None:
    """Show it; in colour only where `file` (default: standard output) is a terminal and NO_COLOR is not set."""
    Console(file=file, highlight=False).print(report)


def plain_text(report: RenderableType, width: int) -> str:
    """As plain text of that many columns, without colour and without blanks at the ends of lines."""
    out = StringIO()
    Console(file=out, width=width, color_system=None, force_terminal=False, highlight=False).print(report)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
