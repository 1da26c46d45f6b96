"""Generates the tables of docs/doctor.md from the code; the rest of the page is written by hand."""

from collections.abc import Iterable
from pathlib import Path

from elastic_docs import with_table

from hpc_components.operate.doctor.cause import all_causes
from hpc_components.operate.doctor.unreachable import TITLES

_HEAD = ("id", "level", "what it is", "explained by")


def doctor_page(path: Path) -> str:
    """Return the page with current tables: causes of a cluster, of a node, and on the way to the head node."""
    text = path.read_text(encoding="utf-8")
    text = with_table(text, "causes", _HEAD, _causes(about_node=False))
    text = with_table(text, "node", _HEAD, _causes(about_node=True))
    rows = ((f"`{id}`", title) for id, title in TITLES.items())
    return with_table(text, "way", ("id", "what it is"), rows)


def _causes(*, about_node: bool) -> Iterable[tuple[str, ...]]:
    for each in all_causes():
        if each.about_node == about_node:
            yield f"`{each.id}`", str(each.level), each.title, ", ".join(f"`{other}`" for other in each.unless)
