"""Lists machines' additional network cards, and the networks that these cards need."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.machines import machines
from hpc_components.gcp.catalog.by_prefix import nearest

_records = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class CardKind:
    """A machine's additional network cards of one type. The first card is always a gVNIC and is not included."""

    nic_type: Literal["GVNIC", "IRDMA", "MRDMA"]
    count: int
    """Number of these cards in a machine."""
    networks: int
    """Number of networks for the cards: one for all cards, with a subnet for each, or one for each card."""
    profile: str | None = None
    """Suffix that follows the zone in the network profile's name, e.g. `vpc-falcon`, or None for a plain network.

    A network with a profile is for machines in one zone. It accepts only cards of this type, has an MTU of 8896, and
    allows no router, NAT or custom firewall rule."""
    source: str
    as_of: str
    unsure: Sequence[str] = ()


def card_kinds(machine: Machine) -> tuple[CardKind, ...]:
    """Return a machine's additional network cards. Only machines with a fast fabric have any.

    The number of cards in each network is `count` divided by `networks`.
    """
    prefix = nearest(_records("card"), machine.name)
    return tuple(_kinds(prefix["prefix"])) if prefix else ()


def card_count(machine: Machine) -> int:
    """Return the number of a machine's additional network cards."""
    return sum(kind.count for kind in card_kinds(machine))


def network_profile(kind: CardKind, zone: str) -> str | None:
    """Return the name of the cards' network profile in a zone, e.g. `us-central1-a-vpc-falcon`.

    Return None if the cards need no profile.
    """
    return f"{zone}-{kind.profile}" if kind.profile else None


@cache
def profile_zones(profile: str) -> tuple[str, ...]:
    """Return the zones that are known to have a profile such as `vpc-falcon`, sorted.

    These are the zones with a machine type that needs the profile. Other zones may have it too, as Google adds zones.
    """
    using = [each for each in machines("gcp") if any(kind.profile == profile for kind in card_kinds(each))]
    return tuple(sorted({zone for each in using for offering in each.offered.values() for zone in offering.split()}))


def _kinds(prefix: str) -> Iterator[CardKind]:
    for record in _records("card"):
        if record["prefix"] == prefix:
            yield CardKind(**{field: value for field, value in record.items() if field != "prefix"})
