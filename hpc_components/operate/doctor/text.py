"""Shows the document of `hpc doctor` on a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding

from hpc_components.operate.doctor.document import headline
from hpc_components.report.text import heading, indented, joined, literal

_COLOURS = {"error": "bold red", "warning": "yellow", "info": "dim"}


def doctor_text(document: Mapping[str, Any]) -> RenderableType:
    """Return the report: each diagnosis with its commands, then what could not be asked."""
    return Group(*_parts(document))


def _parts(document: Mapping[str, Any]) -> Iterator[RenderableType]:
    line = headline(dict(document))
    yield literal(line, "bold green" if document["well"] else "bold red")
    for each in document["diagnoses"]:
        yield Padding(
            joined((each["level"], _COLOURS.get(each["level"], "")), (f" {each['id']}", "bold")), (1, 0, 0, 0)
        )
        yield indented(f"{each['what']}.", f"{each['why']}.", *(f"$ {command}" for command in each["commands"]))
        if each["explains"]:
            yield indented("It explains:")
            yield Padding(indented(*(f"{other['what']}." for other in each["explains"])), (0, 0, 0, 2))
    if document["left_out"]:
        yield heading("Left out")
        yield indented(*(f"{each['what']}, because: {each['because']}" for each in document["left_out"]))
