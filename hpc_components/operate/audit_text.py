"""Shows the document of `hpc audit` on a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType

from hpc_components.report.parts import Table, words
from hpc_components.report.text import TextTable, heading, indented, literal
from hpc_components.wording import plural


def audit_text(document: Mapping[str, Any]) -> RenderableType:
    """Return a table of the records, and what could not be read."""
    return Group(*_parts(document))


def _parts(document: Mapping[str, Any]) -> Iterator[RenderableType]:
    records = document["records"]
    if records:
        columns = ("time (UTC)", *(words(name) for name in ("node", "kind", "who", "what", "from")))
        rows = (
            [
                each["time"].rstrip("Z").replace("T", " "),
                *(each[key] for key in ("node", "kind", "who", "what", "from")),
            ]
            for each in records
        )
        yield TextTable(Table(f"Audit trail of cluster {document['cluster']}", columns, rows, wraps=True))
    yield literal(f"{plural(len(records), 'record')} since {document['since']}")
    if document["unread"]:
        yield heading("Not read")
        yield indented(*document["unread"])
