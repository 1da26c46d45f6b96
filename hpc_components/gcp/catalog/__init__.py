"""Machine types of Google Cloud that HPC clusters are made of, as data."""

from collections.abc import Iterator

from hpc_components.catalog.clouds import CloudCatalog, regions_of
from hpc_components.catalog.machine_type import Machine, read_machines
from hpc_components.catalog.quotas import recorded_quota

__all__ = ["CATALOG"]


def _machines() -> Iterator[Machine]:
    return read_machines("machines", __file__, family=lambda name: name.partition("-")[0])


CATALOG = CloudCatalog(
    machines=_machines,
    type_names=lambda: frozenset(machine.name for machine in _machines()),
    regions=lambda: regions_of(_machines()),
    quota=recorded_quota,
)
