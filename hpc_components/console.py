"""Reports for people, made of what `rich` can draw: on a terminal, or as plain text."""

from io import StringIO
from typing import IO

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from hpc_components.spec.printable import printable

__all__ = ["heading", "joined", "literal", "plain_text", "print_report"]


def print_report(report: RenderableType, file: IO[str] | None = None) -> None:
    """Show it; in colour only where `file` (default: standard output) is a terminal and NO_COLOR is not set."""
    Console(file=file, highlight=False).print(report)


def plain_text(report: RenderableType, width: int) -> str:
    """As plain text of that many columns, without colour and without blanks at the ends of lines."""
    out = StringIO()
    Console(file=out, width=width, color_system=None, force_terminal=False, highlight=False).print(report)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def literal(text: str, style: str = "") -> Text:
    """`text` shown literally, without markup and control characters."""
    return Text(printable(text, keep="\n"), style=style)


def joined(*parts: tuple[str, str] | str) -> Text:
    """Parts with a style each, shown literally."""
    return Text.assemble(*(literal(part) if isinstance(part, str) else literal(*part) for part in parts))


def heading(text: str) -> Padding:
    """The title of a section, with a line of room above it."""
    return Padding(literal(text, "bold"), (1, 0, 0, 0))
