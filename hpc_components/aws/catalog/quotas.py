"""EC2 quotas by machine class and quotas of other services, with the defaults for new accounts."""

from dataclasses import replace
from functools import cache
from typing import Literal

from hpc_components.catalog._load import Record, records
from hpc_components.catalog.machine_type import Machine, Purchase
from hpc_components.catalog.price_and_quota import Quota

Market = Literal["on_demand", "spot"]


def machine_quota(machine: Machine, purchase: Purchase) -> Quota | None:
    """Return the vCPU quota that a running machine counts toward, or None if no quota applies.

    Capacity reservations count toward the on-demand quota. Capacity blocks are assumed to count toward the same
    quota, but this is unconfirmed, so their `unsure` contains `key`.
    """
    market: Market = "spot" if purchase == "spot" else "on_demand"
    name = quota_class(machine.family, market)
    if name is None:
        return None
    found = _quotas()[f"{market}/{name}"]
    return replace(found, unsure=(*found.unsure, "key")) if purchase == "capacity_block" else found


def quota_class(family: str, market: Market) -> str | None:
    """Return the quota class of a machine family, such as `Standard`, or None if the family has no quota."""
    return next((record[market] for record in _classes() if family.startswith(record["prefix"])), None)


def service_quota(key: str) -> Quota:
    """Return a quota other than a vCPU quota, such as `elastic_ips` or `lustre.scratch`. Raise KeyError if the quota
    is unknown.
    """
    return _quotas()[key]


@cache
def _quotas() -> dict[str, Quota]:
    return {record["key"]: Quota(**record) for record in records("quotas", __file__)}


@cache
def _classes() -> tuple[Record, ...]:
    # the first match is used, so `hpc` comes before `h`, and `dl` before `d`
    return tuple(records("quota_classes", __file__))
