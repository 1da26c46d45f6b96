from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hpc_components.catalog.browse import Offer

_GAP = "  "


@dataclass(frozen=True)
class _Column:
    heading: str
    cells: list[str]
    rank: int
    """Order in which columns are dropped: highest rank first. Columns with rank 0 are always shown."""
    is_number: bool = True

    @property
    def width(self) -> int:
        return max(len(text) for text in (self.heading, *self.cells))

    def padded(self) -> Iterator[str]:
        for text in (self.heading, *self.cells):
            yield text.rjust(self.width) if self.is_number else text.ljust(self.width)


def offers_table(offers: Sequence[Offer], width: int | None) -> list[str]:
    """Return the table's lines: the headings, a horizontal rule, and a line for each machine type.

    Cells are neither truncated nor wrapped. Empty columns and columns that don't fit into `width` characters are left
    out (None means no limit). A star marks prices from a region other than the requested one.
    """
    columns = _fitting([column for column in _columns(offers) if any(column.cells)], width)
    heading, *rows = (_GAP.join(cells).rstrip() for cells in zip(*(each.padded() for each in columns), strict=True))
    rule = "─" * (sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1))
    return [heading, rule, *rows]


def offers_footer(offers: Sequence[Offer]) -> list[str]:
    prices = [offer.price for offer in offers if offer.price]
    if not prices:
        return ["No list prices are known for these machine types."]
    days = sorted({price.as_of[:7] for price in prices})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    where = ", ".join(sorted({price.region for price in prices}))
    lines = [f"On-demand list prices for Linux in {where}, as of {when}; not a quotation."]
    if elsewhere := sorted({price.region for price in prices if not price.exact_region}):
        lines.append(f"* price in {' or '.join(elsewhere)}; the price in {offers[0].region} is unknown.")
    return lines


def _fitting(columns: list[_Column], width: int | None) -> list[_Column]:
    shown: list[_Column] = []
    used = 0
    for column in sorted(columns, key=lambda column: column.rank):
        needed = column.width + (len(_GAP) if shown else 0)
        if width is None or column.rank == 0 or used + needed <= width:
            shown.append(column)
            used += needed
    return [column for column in columns if column in shown]


def _columns(offers: Sequence[Offer]) -> Iterator[_Column]:
    machines = [offer.machine for offer in offers]
    yield _Column("machine", [machine.name for machine in machines], 0, is_number=False)
    yield _Column("cores", [str(machine.cores) for machine in machines], 2)
    yield _Column("GiB", [f"{machine.memory_gib:g}" for machine in machines], 5)
    having = [machine.accelerator for machine in machines]
    accelerators = [f"{have.count} x {have.model}" if have else "" for have in having]
    yield _Column("accelerators", accelerators, 3, is_number=False)
    fabrics = [machine.fabric for machine in machines]
    yield _Column(
        "fabric", [f"{have.interfaces} x {have.kind}" if have else "" for have in fabrics], 6, is_number=False
    )
    speeds = [machine.fabric.gbps if machine.fabric else machine.network_gbps for machine in machines]
    yield _Column("Gbps", [f"{speed:g}" if speed else "" for speed in speeds], 7)
    prices = [offer.price for offer in offers]
    yield _Column("$/h", _starred(offers, [f"{price.usd:.2f}" if price else "?" for price in prices]), 4)
    costs = ["?" if (cost := offer.per_core) is None else f"{cost:.4f}" for offer in offers]
    yield _Column("$/core-h", _starred(offers, costs), 1)
    origins = [f"{price.region} {price.as_of}" if price else "" for price in prices]
    yield _Column("price of", origins, 8, is_number=False)


def _starred(offers: Sequence[Offer], prices: list[str]) -> list[str]:
    """Add a star to prices from other regions. If any price has a star, pad the others so that decimal points
    align.
    """
    marks = ["*" if offer.price and not offer.price.exact_region else " " for offer in offers]
    return [price + mark for price, mark in zip(prices, marks, strict=True)] if "*" in marks else prices
