"""Azure's network requirements: reserved ranges, and the sizes, names and delegations of subnets."""

from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Network

from hpc_components.catalog.by_kind import RecordsByKind

_of_kind = RecordsByKind("networks", __file__).records


@dataclass(frozen=True, slots=True, kw_only=True)
class SubnetNeed:
    """Azure's requirements for a subnet."""

    longest_prefix: int
    """Maximum prefix length: 26 for a /26 or larger."""
    name: str | None = None
    """Required name; None if any name is allowed."""
    delegation: str | None = None
    """Service to which the subnet must be delegated; None for no delegation."""
    source: str
    as_of: str


@cache
def fabric_range() -> IPv4Network:
    """Return the address range of InfiniBand interfaces, which the machines' network must not overlap."""
    (record,) = _of_kind("reserved_range")
    return IPv4Network(record["key"])


def subnet_need(place: str) -> SubnetNeed | None:
    """Return the subnet requirements for `netapp`, `bastion` or `database`, or None for other purposes.

    Lustre's requirements depend on its size; see `lustre.lustre_subnet_prefix`.
    """
    for record in _of_kind("subnet"):
        if record["key"] == place:
            return SubnetNeed(**{field: value for field, value in record.items() if field != "key"})
    return None


def private_dns_zone(service: str) -> str:
    """Return the DNS zone for a service's private endpoints, e.g. `privatelink.blob.core.windows.net` for `blob`.

    Raises:
        KeyError: the service is not in the catalogue; `endpoint_services` lists those that are.
    """
    return {record["key"]: record["zone"] for record in _of_kind("private_dns_zone")}[service]


def endpoint_services() -> tuple[str, ...]:
    """Return the sorted names of the services for which the catalogue has private endpoints."""
    return tuple(sorted(record["key"] for record in _of_kind("private_dns_zone")))
