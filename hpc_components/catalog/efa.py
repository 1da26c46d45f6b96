"""How the network interfaces of a machine with EFA are laid out over its network cards."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from hpc_components.catalog._load import records

__all__ = ["Interface", "addresses_per_node", "efa_interfaces", "efa_layout_unsure"]


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
    `efa-only` interface, which saves an address. Where a card takes a single interface, all are combined `efa`.
    Source: EC2 user guide, "Maximize network bandwidth on instances with multiple network cards", and the launch
    templates of AWS ParallelCluster 3.16.1.
    """
    layout = _layouts().get(name)
    if layout is None:
        return ()
    if layout["combined"]:
        return tuple(Interface(card=card, device=0, type="efa") for card in layout["efa_cards"])
    return (
        Interface(card=0, device=0, type="interface"),
        *(
            Interface(card=card, device=1 if card == 0 else layout["other_device"], type="efa-only")
            for card in layout["efa_cards"]
        ),
    )


def efa_layout_unsure(name: str) -> tuple[str, ...]:
    """What no primary source settles: `other_device` (0 or 1 on cards above 0) and `efa_cards`."""
    return tuple(_layouts().get(name, {}).get("unsure", ()))


def addresses_per_node(name: str, *, efa: bool) -> int:
    """How many addresses of its subnet one instance of an EC2 type takes."""
    return sum(interface.has_address for interface in efa_interfaces(name)) if efa else 1


@cache
def _layouts() -> dict[str, dict[str, Any]]:
    return {name: layout for layout in records("efa") for name in layout["types"]}
