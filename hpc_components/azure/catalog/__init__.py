"""Machine types of Azure that HPC clusters are made of, as data."""

import re
from collections.abc import Iterator

from hpc_components.catalog.clouds import CloudCatalog, regions_of
from hpc_components.catalog.machine_type import Machine, read_machines
from hpc_components.catalog.quotas import recorded_quota

__all__ = ["CATALOG"]


def _machines() -> Iterator[Machine]:
    return read_machines("machines", __file__, _family)


def _family(name: str) -> str:
    """`HBv4` of `Standard_HB176-96rs_v4`."""
    return re.sub(r"Standard_([A-Z]+).*?(v\d+)?$", r"\1\2", name)


CATALOG = CloudCatalog(
    machines=_machines,
    type_names=lambda: frozenset(machine.name for machine in _machines()),
    without_prefix=lambda name: name.removeprefix("standard_"),
    regions=lambda: regions_of(_machines()),
    quota=recorded_quota,
)
