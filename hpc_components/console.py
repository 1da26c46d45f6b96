"""Reports made of `rich` renderables: printed to a terminal, or converted to plain text."""

from io import StringIO
from typing import IO

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from hpc_components.spec.printable import printable


def print_report(report: RenderableType, file: IO[str] | None = None) -> None:
    """Print a report to `file` (default: standard output), in colour only on a terminal without NO_COLOR."""
    Console(file=file, highlight=False).print(report)


def plain_text(report: RenderableType, width: int) -> str:
    """Return a report as plain text of `width` columns, without colour and trailing blanks."""
    out = StringIO()
    Console(file=out, width=width, color_system=None, force_terminal=False, highlight=False).print(report)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def literal(text: str, style: str = "") -> Text:
    """Return `text` to be shown literally, without markup and control characters."""
    return Text(printable(text, keep="\n"), style=style)


def joined(*parts: tuple[str, str] | str) -> Text:
    """Return one text made of parts, each with an optional style, to be shown literally."""
    return Text.assemble(*(literal(part) if isinstance(part, str) else literal(*part) for part in parts))


def heading(text: str) -> Padding:
    """Return the title of a section, with an empty line above it."""
    return Padding(literal(text, "bold"), (1, 0, 0, 0))
