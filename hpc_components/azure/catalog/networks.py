"""What Azure demands of networks: ranges that it keeps, subnets that have a size, a name or a delegation."""

from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Network

from hpc_components.catalog.by_kind import RecordsByKind

_of_kind = RecordsByKind("networks", __file__).records


@dataclass(frozen=True, slots=True, kw_only=True)
class SubnetNeed:
    """What Azure demands of a subnet."""

    longest_prefix: int
    """It must have at least that many addresses: 26 for a /26 or larger."""
    name: str | None = None
    """The name that it must have."""
    delegation: str | None = None
    """The service that it must be delegated to."""
    source: str
    as_of: str


@cache
def fabric_range() -> IPv4Network:
    """The range that InfiniBand uses on machines that have it: no network that they reach may overlap it."""
    (record,) = _of_kind("reserved_range")
    return IPv4Network(record["key"])


def subnet_need(place: str) -> SubnetNeed | None:
    """What a subnet for `netapp`, `bastion` or `database` needs; None for places without a need of their own.

    What Lustre needs depends on its size: `lustre.lustre_subnet_prefix`.
    """
    for record in _of_kind("subnet"):
        if record["key"] == place:
            return SubnetNeed(**{field: value for field, value in record.items() if field != "key"})
    return None


def private_dns_zone(service: str) -> str:
    """The DNS zone of private endpoints to a service: `privatelink.blob.core.windows.net` for `blob`.

    Raises:
        KeyError: the catalogue has none of that name; `endpoint_services` lists them.
    """
    return {record["key"]: record["zone"] for record in _of_kind("private_dns_zone")}[service]


def endpoint_services() -> tuple[str, ...]:
    """The services with private endpoints held here, sorted."""
    return tuple(sorted(record["key"] for record in _of_kind("private_dns_zone")))
