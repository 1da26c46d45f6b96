"""What Google Cloud demands of networks: ranges that it keeps, sizes of subnets, packets, sources of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Network
from typing import Literal

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.gcp.catalog.limits import service_limit

_of_kind = RecordsByKind("networks", __file__).records


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkOrder:
    """A network as one orders it. None is what is not given."""

    cidr: IPv4Network | None = None
    """The range of a subnet."""
    mtu: float | None = None
    profile: str | None = None
    """Network profile, such as `us-central1-a-vpc-falcon`."""
    zone: str | None = None
    """The zone of the machines in it, for a network with a profile."""
    nat: bool = False
    """Whether it has a router with NAT."""
    firewall_rules: int = 0
    """How many firewall rules of the user's it has."""


def network_refusals(order: NetworkOrder) -> Iterator[Refusal]:
    """What VPC would refuse of a network and a subnet of it, by the names of the order's fields.

    `cidr`: no larger than a /8 (of RFC 1918's), no smaller than a /29, and no range that Google keeps (in `allowed`).
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
    """Bytes of the largest packet that a network can have; one value for one with a profile for RDMA."""
    if profile:
        only = service_limit("network.profile_mtu")
        return range(only, only + 1)
    return range(service_limit("network.least_mtu"), service_limit("network.most_mtu") + 1)


@cache
def reserved_ranges() -> tuple[IPv4Network, ...]:
    """Ranges that no subnet may overlap."""
    return tuple(IPv4Network(record["key"]) for record in _of_kind("reserved_range"))


def source_ranges(of: Literal["iap", "health_checks", "network_balancer_health_checks"]) -> Sequence[str]:
    """Where packets of a service of Google's come from, for firewall rules."""
    return next(tuple(record["ranges"]) for record in _of_kind("source_range") if record["key"] == of)
