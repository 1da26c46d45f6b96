from collections.abc import Iterator
from functools import cache

from hpc_components.catalog._load import Record, records
from hpc_components.catalog.machine_type import Machine, read_machines
from hpc_components.gcp.catalog.by_prefix import nearest


def machines() -> Iterator[Machine]:
    return read_machines("machines", __file__, family)


def other_machines() -> Iterator[Machine]:
    return read_machines("other_machines", __file__, family)


def type_names() -> frozenset[str]:
    return frozenset(name for record in records("known_types", __file__) for name in record["sizes"])


def family(name: str) -> str:
    """Return a machine type's series, e.g. `h4d` for `h4d-highmem-192-lssd`."""
    return name.partition("-")[0]


def live_migrates(machine: Machine) -> bool:
    """Return whether a running machine can be migrated to another host.

    H3 machines and machines with GPUs or Cloud RDMA can't be migrated, so they need `on_host_maintenance` TERMINATE.
    Source: Compute Engine documentation, "Live migration process", limitations.
    """
    found = nearest(_maintenance(), machine.name)
    return machine.accelerator is None and (found is None or found["migrates"])


def is_doubtful(name: str, zone: str) -> bool:
    """Return whether sources disagree on whether `zone` offers this machine type."""
    found = nearest(_doubtful_zones(), name)
    return found is not None and zone in found["zones"]


@cache
def _doubtful_zones() -> tuple[Record, ...]:
    return tuple(records("doubtful_zones", __file__))


@cache
def _maintenance() -> tuple[Record, ...]:
    return tuple(records("maintenance", __file__))
