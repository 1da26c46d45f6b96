from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Network

from hpc_components.catalog.by_kind import RecordsByKind

_of_kind = RecordsByKind("networks", __file__).records


@dataclass(frozen=True, slots=True, kw_only=True)
class SubnetNeed:
    longest_prefix: int
    """Maximum prefix length, e.g. 26 if the subnet must be a /26 or larger."""
    name: str | None = None
    """Required name; None if any name is allowed."""
    delegation: str | None = None
    """Service that the subnet must be delegated to, or None if no delegation is required."""
    source: str
    as_of: str


@cache
def fabric_range() -> IPv4Network:
    """Return the address range that Azure uses for InfiniBand interfaces. The cluster's network must not overlap this
    range.
    """
    (record,) = _of_kind("reserved_range")
    return IPv4Network(record["key"])


def subnet_need(place: str) -> SubnetNeed | None:
    """Return the subnet requirements for `netapp`, `bastion` or `database`, or None for other purposes.

    The requirements for Lustre depend on the size of the file system; see `lustre.lustre_subnet_prefix`.
    """
    for record in _of_kind("subnet"):
        if record["key"] == place:
            return SubnetNeed(**{field: value for field, value in record.items() if field != "key"})
    return None


def private_dns_zone(service: str) -> str:
    """Return the DNS zone for a service's private endpoints, e.g. `privatelink.blob.core.windows.net` for `blob`.

    Raise KeyError if the service is not one of `endpoint_services()`.
    """
    return {record["key"]: record["zone"] for record in _of_kind("private_dns_zone")}[service]


def endpoint_services() -> tuple[str, ...]:
    return tuple(sorted(record["key"] for record in _of_kind("private_dns_zone")))
