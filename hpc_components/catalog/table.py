"""Machine types as a table for the terminal."""

from collections.abc import Sequence

from rich import box
from rich.table import Table

from hpc_components.catalog.browse import Offer

__all__ = ["offers_table"]


def offers_table(offers: Sequence[Offer]) -> Table:
    """One line a machine type."""
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
    table.add_column("machine", no_wrap=True)
    for heading in ("cores", "GiB"):
        table.add_column(heading, justify="right", no_wrap=True)
    with_accelerators = any(offer.machine.accelerator for offer in offers)
    if with_accelerators:
        table.add_column("accelerators", no_wrap=True)
    table.add_column("fabric", no_wrap=True)
    for heading in ("Gbps", "$/h", "$/core-h"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("price of", style="dim", no_wrap=True)
    for offer in offers:
        table.add_row(*(cell for cell in _row(offer, with_accelerators) if cell is not None))
    return table


def _row(offer: Offer, with_accelerators: bool) -> tuple[str | None, ...]:
    machine, accelerator, fabric = offer.machine, offer.machine.accelerator, offer.machine.fabric
    return (
        machine.name,
        str(machine.cores),
        f"{machine.memory_gib:g}",
        (f"{accelerator.count} x {accelerator.model}" if accelerator else "") if with_accelerators else None,
        f"{fabric.interfaces} x {fabric.kind}" if fabric else "",
        f"{fabric.gbps:g}" if fabric else f"{machine.network_gbps:g}" if machine.network_gbps else "",
        f"{offer.price.usd:.3f}" if offer.price else "?",
        f"{offer.per_core:.4f}" if offer.per_core is not None else "?",
        f"{offer.price.region} {offer.price.as_of}" if offer.price else "",
    )
