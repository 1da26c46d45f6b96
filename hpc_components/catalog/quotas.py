from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.machine_type import Machine, Purchase
from hpc_components.catalog.price_and_quota import Quota


def quota(machine: Machine, purchase: Purchase) -> Quota | None:
    """Return the vCPU quota that a machine counts against, or None if there isn't one.

    A machine type that isn't sold as spot capacity has no spot quota.
    """
    return catalog_of(machine.cloud).quota(machine, purchase)
