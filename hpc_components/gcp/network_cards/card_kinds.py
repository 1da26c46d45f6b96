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
    networks: int
    """Number of networks that the cards use: either one per card, or a single network with a subnet for each card."""
    profile: str | None = None
    """The part of the network profile's name after the zone, e.g. `vpc-falcon`, or None for a network without a
    profile.

    A network with a profile serves machines in one zone. It accepts only cards of this type, has an MTU of 8896, and
    doesn't allow routers, NAT or custom firewall rules.
    """
    source: str
    as_of: str
    unsure: Sequence[str] = ()


def card_kinds(machine: Machine) -> tuple[CardKind, ...]:
    """Return a machine's additional network cards. Each network connects `count / networks` of them."""
    prefix = nearest(_records("card"), machine.name)
    return tuple(_kinds(prefix["prefix"])) if prefix else ()


def card_count(machine: Machine) -> int:
    return sum(kind.count for kind in card_kinds(machine))


def network_profile(kind: CardKind, zone: str) -> str | None:
    return f"{zone}-{kind.profile}" if kind.profile else None


@cache
def profile_zones(profile: str) -> tuple[str, ...]:
    """Return the zones that are known to have a profile such as `vpc-falcon`, in alphabetical order.

    These are the zones that offer a machine type that needs the profile. The list may be incomplete, because Google
    adds zones.
    """
    using = [each for each in machines("gcp") if any(kind.profile == profile for kind in card_kinds(each))]
    return tuple(sorted({zone for each in using for offering in each.offered.values() for zone in offering.split()}))


def _kinds(prefix: str) -> Iterator[CardKind]:
    for record in _records("card"):
        if record["prefix"] == prefix:
            yield CardKind(**{field: value for field, value in record.items() if field != "prefix"})
