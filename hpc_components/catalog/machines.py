"""Machine types of all clouds: names, regions and zones that sell them, and the memory that Slurm sees."""

from functools import cache

from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.machine_type import Machine
from hpc_components.cloud import CLOUDS


def machine(cloud: str, name: str) -> Machine | None:
    """Return the machine type of that exact name; None if the catalogue has no facts about it."""
    return _usual(cloud).get(name) or _others(cloud).get(name)


def machines(cloud: str | None = None) -> tuple[Machine, ...]:
    """Return the machine types that clusters commonly use, of all clouds or of one."""
    return tuple(m for each in _asked(cloud) for m in _usual(each).values())


def all_machines(cloud: str | None = None) -> tuple[Machine, ...]:
    """Return `machines`, followed by all other types with facts."""
    return machines(cloud) + tuple(m for each in _asked(cloud) for m in _others(each).values())


def close_names(cloud: str, name: str) -> list[str]:
    """Return up to three names that a misspelt name may stand for, the closest first."""
    import difflib  # here, because only a message about a wrong name needs it

    short = catalog_of(cloud).without_prefix
    names = [*_usual(cloud), *sorted(_type_names(cloud))]
    held = {short(known.lower()): known for known in names}
    return [held[found] for found in difflib.get_close_matches(short(name.lower()), held, n=3, cutoff=0.75)]


def is_known_type(cloud: str, name: str) -> bool:
    """Return whether a cloud has a machine type of that name, with or without facts in the catalogue."""
    return name in _type_names(cloud)


def is_previous_generation(cloud: str, name: str) -> bool:
    """Return whether a cloud calls a machine type a previous generation and no source contradicts that."""
    return catalog_of(cloud).is_previous_generation(name)


def regions_offering(machine: Machine) -> tuple[str, ...]:
    """Return the regions that sell the type, sorted."""
    return tuple(sorted(machine.offered))


def zones_offering(machine: Machine, region: str) -> tuple[str, ...]:
    """Return the zones of a region that sell the type; empty if none does or the zones are unknown."""
    return tuple(machine.offered.get(region, "").split())


def real_memory_mib(machine: Machine) -> int:
    """Return Slurm's `RealMemory`: no more than the node will report, else jobs get memory that does not exist.

    This is the measured value if known (`machine.os_memory_mib`), else an estimate: from 16 GiB up the lower of 94 %
    of the nominal memory and nominal less 1 GiB, and three quarters of it below. Against the 1,093 EC2 sizes
    that ec2instances.info measured (2025-12) it is too high on five (g6.xlarge, g7.2xlarge, vt1), by at most 2.6 %.
    """
    if machine.os_memory_mib is not None:
        return machine.os_memory_mib
    if machine.memory_gib >= 16:
        return int(min(0.94 * machine.memory_mib, machine.memory_mib - 1024))
    return int(0.75 * machine.memory_mib)


def _asked(cloud: str | None) -> tuple[str, ...]:
    return tuple(CLOUDS) if cloud is None else (cloud,)


@cache
def _usual(cloud: str) -> dict[str, Machine]:
    return {machine.name: machine for machine in catalog_of(cloud).machines()}


@cache
def _others(cloud: str) -> dict[str, Machine]:
    return {machine.name: machine for machine in catalog_of(cloud).other_machines()}


@cache
def _type_names(cloud: str) -> frozenset[str]:
    return frozenset(catalog_of(cloud).type_names())
