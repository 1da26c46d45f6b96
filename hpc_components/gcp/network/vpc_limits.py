"""Google Cloud's requirements of networks: reserved ranges, subnet sizes, MTU, and source ranges of its services."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Network
from pathlib import Path
from typing import Literal

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.gcp.catalog.limits import service_limit

_of_kind = RecordsByKind.in_files(Path(__file__).with_name("facts.json")).records


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkOrder:
    """A network as ordered; None is what is not given."""

    cidr: IPv4Network | None = None
    """Range of a subnet."""
    mtu: float | None = None
    profile: str | None = None
    """Network profile, such as `us-central1-a-vpc-falcon`."""
    zone: str | None = None
    """Zone of the machines in it, for a network with a profile."""
    nat: bool = False
    """Whether it has a router with NAT."""
    firewall_rules: int = 0
    """Number of custom firewall rules."""


def network_refusals(order: NetworkOrder) -> Iterator[Refusal]:
    """Yield what VPC would refuse of a network and a subnet of it, by fields of the order.

    `cidr`: a /8 (of RFC 1918) to a /29, outside of the ranges that Google reserves (in `allowed`).
    `mtu`: 1300 to 8896; 8896 with a profile. `profile`: of another zone. `nat`, `firewall_rules`: not with a profile.
    Source: VPC documentation, "Subnets", "Maximum transmission unit" and "Network profiles for RDMA".
    """
    if order.cidr is not None:
        longest = service_limit("subnet.longest_prefix")
        if order.cidr.prefixlen > longest:
            yield Refusal(field="cidr", why=Why.NOT_SOLD, allowed=(longest,))
        for kept in reserved_ranges():
            if order.cidr.overlaps(kept):
                yield Refusal(field="cidr", why=Why.NOT_TAKEN, allowed=(str(kept),))
    allowed = mtus(profile=order.profile is not None)
    if order.mtu is not None and (order.mtu != int(order.mtu) or int(order.mtu) not in allowed):
        because = "profile" if order.profile else None
        yield Refusal(field="mtu", why=Why.NOT_SOLD, because_of=because, allowed=allowed)
    if order.profile is None:
        return
    if order.zone is not None and not order.profile.startswith(f"{order.zone}-vpc-"):
        yield Refusal(field="profile", why=Why.NOT_TAKEN, because_of="zone")
    if order.nat:
        yield Refusal(field="nat", why=Why.NOT_TAKEN, because_of="profile")
    if order.firewall_rules:
        yield Refusal(field="firewall_rules", why=Why.NOT_TAKEN, because_of="profile", allowed=(0,))


def mtus(*, profile: bool = False) -> range:
    """Return the MTUs in bytes that a network can have; one value for a network with a profile for RDMA."""
    if profile:
        only = service_limit("network.profile_mtu")
        return range(only, only + 1)
    return range(service_limit("network.least_mtu"), service_limit("network.most_mtu") + 1)


@cache
def reserved_ranges() -> tuple[IPv4Network, ...]:
    """Return the ranges that no subnet may overlap."""
    return tuple(IPv4Network(record["key"]) for record in _of_kind("reserved_range"))


def source_ranges(of: Literal["iap", "health_checks", "network_balancer_health_checks"]) -> Sequence[str]:
    """Return the source ranges of one of Google's services, for firewall rules."""
    return next(tuple(record["ranges"]) for record in _of_kind("source_range") if record["key"] == of)
