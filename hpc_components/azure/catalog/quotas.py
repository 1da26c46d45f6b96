"""Azure's quotas: cores by family and market, all cores of a region, and those of other services."""

from hpc_components.catalog.machine_type import Machine, Purchase
from hpc_components.catalog.quotas import Quota

__all__ = ["machine_quota", "regional_quota", "service_quota"]


def machine_quota(machine: Machine, purchase: Purchase) -> Quota | None:
    """The quota, in vCPU, that running a machine counts against: its family's (`standardHBv4Family`), or for spot the
    region's `lowPriorityCores`. Constrained-core sizes count with the vCPUs that they show."""
    raise NotImplementedError


def regional_quota(purchase: Purchase) -> Quota | None:
    """The quota that all machines of a region count against together, besides that of their family: `cores`, the
    total of the region. Spot machines count against `lowPriorityCores` alone: None."""
    raise NotImplementedError


def service_quota(key: str) -> Quota:
    """A quota that is not about cores, such as `lustre.filesystems` or `public_addresses`.

    Raises:
        KeyError: the catalogue has no quota of that name.
    """
    raise NotImplementedError
