"""Quotas: which one a machine counts against, and the default of a new account."""

from collections.abc import Sequence
from dataclasses import dataclass

from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.machine_type import Machine, Purchase

__all__ = ["Quota", "quota", "recorded_quota"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """One quota: `code` as the cloud calls it, `default` as a new account has it.

    None where there is none or no source states it.
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
    """Whether each region has one; else there is one for the whole account or project."""


def quota(machine: Machine, purchase: Purchase) -> Quota | None:
    """The quota, in vCPU, that running a machine counts against; None when it counts against none.

    A machine that is not sold as spot has no spot quota.
    """
    return catalog_of(machine.cloud).quota(machine, purchase)


def recorded_quota(machine: Machine, purchase: Purchase) -> Quota | None:
    """The quota that a machine's own record names, of which no default is known."""
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
