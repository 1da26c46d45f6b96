"""EC2's quotas by class of machine, and those of other services, with the defaults of a new account."""

from dataclasses import replace
from functools import cache
from typing import Literal

from hpc_components.catalog._load import Record, records
from hpc_components.catalog.machine_type import Machine, Purchase
from hpc_components.catalog.price_and_quota import Quota

Market = Literal["on_demand", "spot"]


def machine_quota(machine: Machine, purchase: Purchase) -> Quota | None:
    """The quota, in vCPU, that running a machine counts against; None when it counts against none.

    EC2 counts capacity reservations against the on-demand quota; that it does so for capacity blocks is not
    confirmed, and `unsure` says so.
    """
    market: Market = "spot" if purchase == "spot" else "on_demand"
    name = quota_class(machine.family, market)
    if name is None:
        return None
    found = _quotas()[f"{market}/{name}"]
    return replace(found, unsure=(*found.unsure, "key")) if purchase == "capacity_block" else found


def quota_class(family: str, market: Market) -> str | None:
    """The class of EC2's vCPU quotas that a family belongs to, such as `Standard`; None when it has none."""
    return next((record[market] for record in _classes() if family.startswith(record["prefix"])), None)


def service_quota(key: str) -> Quota:
    """A quota that is not about vCPUs, such as `elastic_ips` or `lustre.scratch`.

    Raises:
        KeyError: the catalogue has no quota of that name.
    """
    return _quotas()[key]


@cache
def _quotas() -> dict[str, Quota]:
    return {record["key"]: Quota(**record) for record in records("quotas", __file__)}


@cache
def _classes() -> tuple[Record, ...]:
    # The order of the file counts: `hpc` stands before `h`, `dl` before `d`.
    return tuple(records("quota_classes", __file__))
