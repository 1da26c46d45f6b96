"""Google Cloud's machine types."""

from collections.abc import Iterator

from hpc_components.catalog._load import records
from hpc_components.catalog.machine_type import Machine, read_machines

__all__ = ["family", "live_migrates", "machines", "other_machines", "type_names"]

_NEVER_MIGRATED = frozenset({"a2", "a3", "a4", "g2", "h3", "h4d"})


def machines() -> Iterator[Machine]:
    """The types that clusters are usually made of."""
    return read_machines("machines", __file__, family)


def other_machines() -> Iterator[Machine]:
    """Other sizes, in a file of their own."""
    return read_machines("other_machines", __file__, family)


def type_names() -> frozenset[str]:
    """The names of all types."""
    return frozenset(name for record in records("known_types", __file__) for name in record["sizes"])


def family(name: str) -> str:
    """The machine series: `h4d` of `h4d-highmem-192-lssd`."""
    return name.partition("-")[0]


def live_migrates(machine: Machine) -> bool:
    """Whether machines of a type can be moved to another host while they run.

    Those with GPUs, with Cloud RDMA and of series h3 can't: `on_host_maintenance` is TERMINATE.
    Source: Compute Engine documentation, "Live migration process", limitations.
    """
    return machine.accelerator is None and machine.family not in _NEVER_MIGRATED
