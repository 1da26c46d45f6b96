from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hpc_components.catalog._load import Record
from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.offer import Limit, Refusal
from hpc_components.gcp.catalog.by_prefix import nearest

_TIER_1 = Limit(
    id="HPC-TIR-001",
    title="A queue with `tier_1` must use machines that support Tier_1 networking (certain series, with about 30 "
    "vCPUs or more)",
    why="H3 and H4D machines reach their full bandwidth without Tier_1 networking.",
    source='Compute Engine documentation, "Configure per VM Tier_1 networking performance", machine types',
)

LIMITS = (_TIER_1,)

_records = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetOrder:
    machine: Machine
    tier_1: bool = False
    others: Sequence[Machine] = ()
    """Machines that could be used instead."""


def refusals(order: FleetOrder) -> Iterator[Refusal]:
    machine, found = order.machine, _found(order.machine)
    if not order.tier_1 or has_tier_1(machine):
        return
    least = min(map(int, found["gbps"])) if found else 0
    able = [each for each in order.others if has_tier_1(each) and each.arch == machine.arch]
    able = [each for each in able if each.family == machine.family] or able
    near = sorted(able, key=lambda each: (abs(each.vcpus - machine.vcpus), abs(each.memory_gib - machine.memory_gib)))
    yield _TIER_1.refuse(
        "tier_1",
        reason=f"for {machine.family} machines, Tier_1 networking requires at least {least} vCPUs, but "
        f"{machine.name} has only {machine.vcpus}"
        if machine.vcpus < least
        else f"{machine.name} does not support Tier_1 networking",
        changes={"tier_1": False},
        alternative={"machine": near[0].name} if near else {},
        conflicts_with="machine",
    )


def tier_1_gbps(machine: Machine) -> int | None:
    """Return a machine's total bandwidth with Tier_1 networking, in Gbps, or None if the machine doesn't support
    it.
    """
    found = _found(machine)
    return found["gbps"].get(str(machine.vcpus)) if found else None


def has_tier_1(machine: Machine) -> bool:
    return tier_1_gbps(machine) is not None


def _found(machine: Machine) -> Record | None:
    return nearest(_records("tier_1"), machine.name)
