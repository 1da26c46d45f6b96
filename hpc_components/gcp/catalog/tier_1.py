"""Tier_1 networking: more bandwidth for a machine, at an extra charge."""

from collections.abc import Iterator
from functools import cache

from hpc_components.catalog._load import Record, records
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.gcp.catalog.by_prefix import nearest


def tier_1_gbps(machine: Machine) -> int | None:
    """Return the total bandwidth of a machine with Tier_1 networking, in Gbps; None if it does not support it."""
    found = nearest(_records(), machine.name)
    return found["gbps"].get(str(machine.vcpus)) if found else None


def has_tier_1(machine: Machine) -> bool:
    """Return whether a machine supports Tier_1 networking."""
    return tier_1_gbps(machine) is not None


def tier_1_refusals(machine: Machine) -> Iterator[Refusal]:
    """Yield the refusal of Tier_1 networking on a machine: `tier_1`, because of `machine`.

    `allowed` has the minimum vCPUs of its series with Tier_1, if the series supports it at all.
    Source: Compute Engine documentation, "Tier_1 networking performance": some series, from 30 vCPUs up.
    """
    if not has_tier_1(machine):
        found = nearest(_records(), machine.name)
        least = (min(map(int, found["gbps"])),) if found else ()
        yield Refusal(field="tier_1", why=Why.NOT_SOLD, because_of="machine", allowed=least)


@cache
def _records() -> tuple[Record, ...]:
    return tuple(records("tier_1", __file__))
