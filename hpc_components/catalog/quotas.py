"""Quotas: which one a machine counts against, and the defaults of a new account."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from hpc_components.catalog._load import Record, records
from hpc_components.catalog.machines import Machine, Purchase

__all__ = ["Quota", "quota", "quota_class", "service_quota"]

Market = Literal["on_demand", "spot"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """One quota: `code` as the cloud calls it, `default` as a new account has it.

    None where there is none or no source tells. On Azure and GCP the code is a family or metric.
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


def quota(machine: Machine, purchase: Purchase) -> Quota | None:
    """The quota, in vCPU, that running a machine counts against; None when it counts against none.

    A machine that is not sold as spot has no spot quota. EC2 counts capacity reservations against the on-demand
    quota; that it does so for capacity blocks is not confirmed, and `unsure` says so.
    """
    market = "spot" if purchase == "spot" else "on_demand"
    if machine.cloud != "aws":
        return _quota_of_other_cloud(machine, market)
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


def _quota_of_other_cloud(machine: Machine, market: Market) -> Quota | None:
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


@cache
def _quotas() -> dict[str, Quota]:
    return {record["key"]: Quota(**record) for record in records("aws_quotas")}


@cache
def _classes() -> tuple[Record, ...]:
    # The order of the file counts: `hpc` stands before `h`, `dl` before `d`.
    return tuple(records("aws_quota_classes"))
