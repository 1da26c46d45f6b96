"""How the network interfaces of a machine with EFA are laid out over its network cards."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from hpc_components.catalog._load import records


@dataclass(frozen=True, slots=True, kw_only=True)
class Interface:
    """One network interface of a launch: network card, device index on that card, and EC2's interface type."""

    card: int
    device: int
    type: Literal["interface", "efa", "efa-only"]

    @property
    def has_address(self) -> bool:
        """Whether it takes an address of the subnet; an `efa-only` interface takes none."""
        return self.type != "efa-only"


@cache
def efa_interfaces(name: str) -> tuple[Interface, ...]:
    """All interfaces of an EC2 type launched with EFA, the primary one first; empty when it has no EFA.

    The primary interface (card 0, device 0) is a plain one, because `efa-only` cannot be primary; each EFA is an
    `efa-only` interface, which saves an address. Where card 0 takes a single interface, all are combined `efa`.

    The device index follows from what the card takes: EC2 refuses one that is not below the card's number of
    interfaces. It is 1 where a card takes two or more, as AWS ParallelCluster launches and tests it (its pull request
    7262: c6in, p4d), and 0 where it takes one (6930: p6e-gb200's odd cards). EC2's guide has 0 for `efa-only` on all
    cards above 0.
    Source: EC2 user guide, "Maximize network bandwidth on instances with multiple network cards".
    """
    layout = _layouts().get(name)
    if layout is None:
        return ()
    single = layout["single_cards"]
    if 0 in single:
        return tuple(Interface(card=card, device=0, type="efa") for card in layout["efa_cards"])
    return (
        Interface(card=0, device=0, type="interface"),
        *(Interface(card=card, device=0 if card in single else 1, type="efa-only") for card in layout["efa_cards"]),
    )


def efa_layout_unsure(name: str) -> tuple[str, ...]:
    """What no primary source settles: `cards` and `efa_cards`."""
    return tuple(_layouts().get(name, {}).get("unsure", ()))


def addresses_per_node(name: str, efa: bool) -> int:
    """How many addresses of its subnet one instance of an EC2 type takes."""
    return (sum(interface.has_address for interface in efa_interfaces(name)) or 1) if efa else 1


@cache
def _layouts() -> dict[str, dict[str, Any]]:
    return {name: layout for layout in records("efa", __file__) for name in layout["types"]}
