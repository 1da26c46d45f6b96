from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Column, Table

from hpc_components.accept.result import Acceptance, State
from hpc_components.accept.show import tables
from hpc_components.report.text import TextTable, heading, joined, literal

_STYLES = {State.PASSED: "green", State.FAILED: "bold red", State.WARNED: "yellow"}


def acceptance_text(acceptance: Acceptance) -> Group:
    """Return the report. The verdict is last, because the end is what remains visible on a terminal."""
    return Group(*_parts(acceptance))


def _parts(acceptance: Acceptance) -> Iterator[RenderableType]:
    yield literal(f"Acceptance of {acceptance.cluster}", "bold")
    yield literal(tables.about(acceptance))
    yield literal(tables.releases(acceptance))
    if note := tables.caveat(acceptance):
        yield literal(note, "yellow")
    if acceptance.jobs:
        yield TextTable(tables.jobs_table(acceptance))
    figures = tables.figures_table(acceptance)
    if figures.rows:
        yield heading("Figures")
        yield TextTable(figures)
    if acceptance.boot_steps:
        yield heading("Seconds of each step of the first boot")
        yield TextTable(tables.boot_table(acceptance))
    yield heading("Checks")
    grid = Table.grid("", Column(overflow="fold"), padding=(0, 1, 0, 0))
    for state, what, detail in tables.lines(acceptance):
        style = _STYLES.get(state, "dim")
        grid.add_row(literal(tables.SIGNS[state], style), joined(what, (f"  {detail}" if detail else "", "dim")))
    yield grid
    style = "bold green" if acceptance.passed else "bold red"
    yield Padding(literal(tables.verdict(acceptance), style), (1, 0, 0, 0))
