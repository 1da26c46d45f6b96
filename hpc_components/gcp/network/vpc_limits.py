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
    cidr: IPv4Network | None = None
    """Address range of a subnet in the network."""
    mtu: float | None = None
    profile: str | None = None
    """Network profile, such as `us-central1-a-vpc-falcon`."""
    zone: str | None = None
    """Zone of the network's machines, if the network has a profile."""
    nat: bool = False
    firewall_rules: int = 0


def network_refusals(order: NetworkOrder) -> Iterator[Refusal]:
    """Yield a refusal for each field of the order that VPC would reject.

    `cidr` must be a /8 (in RFC 1918) to a /29, and must not overlap a range that Google reserves (in that case, the
    refusal's `allowed` is the reserved range). `mtu` must be 1300 to 8896, or exactly 8896 with a profile. `profile`
    must be for the machines' zone. A network with a profile can't have `nat` or `firewall_rules`.
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
    """Return the MTUs, in bytes, that a network can have. With an RDMA profile, only one MTU is allowed."""
    if profile:
        only = service_limit("network.profile_mtu")
        return range(only, only + 1)
    return range(service_limit("network.least_mtu"), service_limit("network.most_mtu") + 1)


@cache
def reserved_ranges() -> tuple[IPv4Network, ...]:
    return tuple(IPv4Network(record["key"]) for record in _of_kind("reserved_range"))


def source_ranges(of: Literal["iap", "health_checks", "network_balancer_health_checks"]) -> Sequence[str]:
    return next(tuple(record["ranges"]) for record in _of_kind("source_range") if record["key"] == of)
