"""Machine types as a table for the terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.table import Table

from hpc_components.catalog.browse import Offer

__all__ = ["offers_table"]

_ROOM_FOR_SOURCE = 120
"""Columns of terminal from which on the table says where and when each price held."""


@dataclass(frozen=True)
class _Column:
    heading: str
    cells: list[str]
    is_number: bool = True


def offers_table(offers: Sequence[Offer], width: int) -> Table:
    """One line a machine type, on `width` columns; a column with nothing in it is left out."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, header_style="bold", pad_edge=False, padding=(0, 1))
    columns = [column for column in _columns(offers, width) if any(column.cells)]
    for column in columns:
        widest = max(len(text) for text in (column.heading, *column.cells))
        table.add_column(
            column.heading,
            justify="right" if column.is_number else "left",
            min_width=widest if column.is_number else None,
            overflow="fold",
        )
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*cells)
    return table


def _columns(offers: Sequence[Offer], width: int) -> Iterator[_Column]:
    machines = [offer.machine for offer in offers]
    yield _Column("machine", [machine.name for machine in machines], is_number=False)
    yield _Column("cores", [str(machine.cores) for machine in machines])
    yield _Column("GiB", [f"{machine.memory_gib:g}" for machine in machines])
    having = [machine.accelerator for machine in machines]
    yield _Column(
        "accelerators", [f"{have.count} x {have.model}" if have else "" for have in having], is_number=False
    )
    fabrics = [machine.fabric for machine in machines]
    yield _Column("fabric", [f"{have.interfaces} x {have.kind}" if have else "" for have in fabrics], is_number=False)
    yield _Column("Gbps", [f"{machine.network_gbps:g}" if machine.network_gbps else "" for machine in machines])
    prices = [offer.price for offer in offers]
    yield _Column("$/h", [f"{price.usd:.2f}" if price else "?" for price in prices])
    yield _Column("$/core-h", ["?" if (cost := offer.per_core) is None else f"{cost:.4f}" for offer in offers])
    if width >= _ROOM_FOR_SOURCE:
        told = [f"{price.region} {price.as_of}" if price else "" for price in prices]
        yield _Column("price of", told, is_number=False)
