from functools import cache

from hpc_components.catalog.account_facts import with_own_facts
from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.machine_type import Machine
from hpc_components.cloud import CLOUDS


def machine(cloud: str, name: str) -> Machine | None:
    """Return the machine type with exactly this name, or None if it isn't in the catalogue.

    A project's own facts about it, from `hpc preflight --keep`, take precedence.
    """
    found = _usual(cloud).get(name) or _others(cloud).get(name)
    return next(iter(with_own_facts([found]))) if found else None


def machines(cloud: str | None = None) -> tuple[Machine, ...]:
    """Return the machine types that clusters commonly use, on one cloud or on all clouds."""
    return tuple(m for each in _asked(cloud) for m in with_own_facts(_usual(each).values()))


def all_machines(cloud: str | None = None) -> tuple[Machine, ...]:
    """Return the machine types of `machines`, followed by all other types in the catalogue."""
    return machines(cloud) + tuple(m for each in _asked(cloud) for m in with_own_facts(_others(each).values()))


def close_names(cloud: str, name: str) -> list[str]:
    """Return up to three machine types whose names resemble a misspelt one, closest first."""
    import difflib  # imported late: only messages about misspelt names need this module

    short = catalog_of(cloud).without_prefix
    names = [*_usual(cloud), *sorted(_type_names(cloud))]
    held = {short(known.lower()): known for known in names}
    return [held[found] for found in difflib.get_close_matches(short(name.lower()), held, n=3, cutoff=0.75)]


def is_known_type(cloud: str, name: str) -> bool:
    """Return whether a cloud has a machine type with this name, even if it isn't in the catalogue."""
    return name in _type_names(cloud)


def is_previous_generation(cloud: str, name: str) -> bool:
    """Return whether a cloud lists a machine type as previous-generation and no source contradicts it."""
    return catalog_of(cloud).is_previous_generation(name)


def regions_offering(machine: Machine) -> tuple[str, ...]:
    return tuple(sorted(machine.offered))


def zones_offering(machine: Machine, region: str) -> tuple[str, ...]:
    """Return the zones in a region that sell a machine type. The tuple is empty if no zone sells it or if the
    zones are unknown.
    """
    return tuple(machine.offered.get(region, "").split())


def real_memory_mib(machine: Machine) -> int:
    """Return a machine's `RealMemory` for Slurm, which must not exceed the memory that the node will report.

    If the value were higher, jobs would be allocated memory that doesn't exist. The result is the measured value
    (`machine.os_memory_mib`) if known, or else an estimate. For 16 GiB of nominal memory or more, the estimate is the
    nominal memory minus 6 % or minus 1 GiB, whichever is lower. For smaller machines, the estimate is three quarters
    of the nominal memory. Compared with the 1,093 EC2 sizes that ec2instances.info measured (2025-12), the estimate
    is too high for five (g6.xlarge, g7.2xlarge, vt1), by at most 2.6 %.
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
