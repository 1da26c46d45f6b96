"""The further network cards of machines, and the networks that these need."""

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
    """Cards of one kind, in the order in which a machine has them after its first card (a gVNIC)."""

    nic_type: Literal["GVNIC", "IRDMA", "MRDMA"]
    count: int
    """How many cards a machine has."""
    networks: int
    """In how many networks they are: one for all, each card with a subnet of its own, or one for each."""
    profile: str | None = None
    """What the network profile's name ends with, after the zone: `vpc-falcon`; None for a plain network.

    A network with a profile has cards of this kind only, MTU 8896, and no router, NAT or firewall rule of the
    user's; it is for machines of that zone."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


def card_kinds(machine: Machine) -> tuple[CardKind, ...]:
    """The further cards of a machine with a fast fabric; none for other machines.

    As many of a kind are in each network as `count` divided by `networks`.
    """
    prefix = nearest(_records(), machine.name)
    return tuple(_kinds(prefix["prefix"])) if prefix else ()


def card_count(machine: Machine) -> int:
    """How many further cards a machine has."""
    return sum(kind.count for kind in card_kinds(machine))


def network_profile(kind: CardKind, zone: str) -> str | None:
    """The name of the network profile for cards in a zone, `us-central1-a-vpc-falcon`; None where they need none."""
    return f"{zone}-{kind.profile}" if kind.profile else None


@cache
def profile_zones(profile: str) -> tuple[str, ...]:
    """The zones known to have a profile such as `vpc-falcon`: those that sell a machine which needs it, sorted.

    A zone that is not among them may have it: Google adds zones.
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
