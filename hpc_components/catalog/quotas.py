"""The quota that a machine counts against."""

from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.machine_type import Machine, Purchase
from hpc_components.catalog.price_and_quota import Quota


def quota(machine: Machine, purchase: Purchase) -> Quota | None:
    """Return the quota, in vCPU, that running a machine counts against; None if it counts against no quota.

    A machine that is not sold as spot has no spot quota.
    """
    return catalog_of(machine.cloud).quota(machine, purchase)
