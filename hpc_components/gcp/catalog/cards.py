"""Additional network cards of machines, and the networks that they need."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from hpc_components.catalog._load import Record, records
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.machines import machines
from hpc_components.gcp.catalog.by_prefix import nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class CardKind:
    """Additional network cards of one type; a machine's first card is always a gVNIC."""

    nic_type: Literal["GVNIC", "IRDMA", "MRDMA"]
    count: int
    """Number of such cards of a machine."""
    networks: int
    """Number of networks for them: one for all, with a subnet for each card, or one for each card."""
    profile: str | None = None
    """Suffix of the network profile's name, after the zone: `vpc-falcon`; None for a plain network.

    A network with a profile is for machines of one zone. It has only cards of this type, MTU 8896, and allows no
    router, NAT or custom firewall rule."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


def card_kinds(machine: Machine) -> tuple[CardKind, ...]:
    """Return the additional cards of a machine, which only machines with a fast fabric have.

    Each network has `count` divided by `networks` cards.
    """
    prefix = nearest(_records(), machine.name)
    return tuple(_kinds(prefix["prefix"])) if prefix else ()


def card_count(machine: Machine) -> int:
    """Return the number of additional cards of a machine."""
    return sum(kind.count for kind in card_kinds(machine))


def network_profile(kind: CardKind, zone: str) -> str | None:
    """Return the name of the network profile for cards in a zone, `us-central1-a-vpc-falcon`; None without one."""
    return f"{zone}-{kind.profile}" if kind.profile else None


@cache
def profile_zones(profile: str) -> tuple[str, ...]:
    """Return the zones that are known to have a profile such as `vpc-falcon`: those with a machine that needs it,
    sorted.

    Other zones may have it too, as Google adds zones.
    """
    using = [each for each in machines("gcp") if any(kind.profile == profile for kind in card_kinds(each))]
    return tuple(sorted({zone for each in using for offering in each.offered.values() for zone in offering.split()}))


def _kinds(prefix: str) -> Iterator[CardKind]:
    for record in _records():
        if record["prefix"] == prefix:
            yield CardKind(**{field: value for field, value in record.items() if field not in ("kind", "prefix")})


@cache
def _records() -> tuple[Record, ...]:
    return tuple(records("cards", __file__))
