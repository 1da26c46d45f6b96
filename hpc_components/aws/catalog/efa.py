from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from hpc_components.catalog._load import records


@dataclass(frozen=True, slots=True, kw_only=True)
class Interface:
    """A network interface of a machine to launch: its network card, its device index on that card, and EC2's
    interface type.
    """

    card: int
    device: int
    type: Literal["interface", "efa", "efa-only"]

    @property
    def has_address(self) -> bool:
        """Whether the interface uses a subnet address. All interfaces except `efa-only` do."""
        return self.type != "efa-only"


@cache
def efa_interfaces(name: str) -> tuple[Interface, ...]:
    """Return all interfaces for launching an EC2 type with EFA, the primary interface first, or () if the type does
    not support EFA.

    The primary interface (card 0, device 0) is an ordinary interface, because `efa-only` interfaces can't be primary.
    Each EFA is an `efa-only` interface, which needs no address. If card 0 supports only one interface, all interfaces
    have the combined type `efa`.

    EC2 requires the device index to be less than the card's number of interfaces. The index is therefore 1 for cards
    with two or more interfaces (tested by AWS ParallelCluster with c6in and p4d, pull request 7262), and 0 for cards
    with one interface (odd-numbered cards of p6e-gb200, pull request 6930). EC2's guide, by contrast, uses 0 for
    `efa-only` interfaces on all cards except card 0. Source: EC2 user guide, "Maximize network bandwidth on instances
    with multiple network cards".
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
    """Return which of the fields `cards` and `efa_cards` are not confirmed by a primary source."""
    return tuple(_layouts().get(name, {}).get("unsure", ()))


def addresses_per_node(name: str, efa: bool) -> int:
    return (sum(interface.has_address for interface in efa_interfaces(name)) or 1) if efa else 1


@cache
def _layouts() -> dict[str, dict[str, Any]]:
    return {name: layout for layout in records("efa", __file__) for name in layout["types"]}
