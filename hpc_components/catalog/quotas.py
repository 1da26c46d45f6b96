"""Quotas: which one a machine counts against, and the default of a new account."""

from collections.abc import Sequence
from dataclasses import dataclass

from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.machine_type import Machine, Purchase


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """One quota: `code` is the cloud's name for it, `default` the value for a new account.

    Each is None if the cloud does not have it or no source states it.
    """

    key: str
    service: str
    code: str | None
    name: str
    unit: str
    default: int | None
    source: str
    as_of: str
    notes: str = ""
    unsure: Sequence[str] = ()
    regional: bool = True
    """Whether each region has its own quota; otherwise one quota applies to the whole account or project."""


def quota(machine: Machine, purchase: Purchase) -> Quota | None:
    """Return the quota, in vCPU, that running a machine counts against; None if it counts against no quota.

    A machine that is not sold as spot has no spot quota.
    """
    return catalog_of(machine.cloud).quota(machine, purchase)


def recorded_quota(machine: Machine, purchase: Purchase) -> Quota | None:
    """Return the quota that a machine's own record names. Its default is not known."""
    market = "spot" if purchase == "spot" else "on_demand"
    code = machine.quotas.get(market)
    if not code or market not in machine.usage:
        return None
    return Quota(
        key=f"{market}/{machine.family}",
        service=machine.cloud,
        code=code,
        name=code,
        unit="vCPU",
        default=None,
        source=machine.source,
        as_of=machine.as_of,
    )
