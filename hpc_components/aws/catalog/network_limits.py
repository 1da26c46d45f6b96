from functools import cache
from typing import Literal

from hpc_components.catalog._load import records
from hpc_components.catalog.service_limits import LogRetention

EndpointKind = Literal["gateway", "interface"]


def endpoint_kind(service: str) -> EndpointKind | None:
    """Return the kind of a service's VPC endpoint: `gateway` (free), `interface` (billed), or None if unknown."""
    return _endpoints().get(service)


def endpoint_services() -> tuple[str, ...]:
    return tuple(sorted(_endpoints()))


@cache
def log_retention_days() -> tuple[int, ...]:
    """Return the retention periods that CloudWatch Logs offers, in days, in ascending order."""
    return tuple(records("log_retention", __file__)[0]["days"])


def log_retention() -> LogRetention:
    return LogRetention(service="CloudWatch", days=log_retention_days())


@cache
def launch_limit() -> tuple[int, int]:
    """Return how many nodes a new account can launch immediately in a region, and how many more it can launch per
    second after that.
    """
    (record,) = records("launch_limit", __file__)
    return record["burst"], record["per_second"]


@cache
def _endpoints() -> dict[str, EndpointKind]:
    return {
        service: record["kind"] for record in records("vpc_endpoints", __file__) for service in record["services"]
    }
