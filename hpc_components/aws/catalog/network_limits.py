"""VPC endpoints by service, the steps of log retention, and how fast EC2 lets nodes be launched."""

from functools import cache
from typing import Literal

from hpc_components.catalog._load import records
from hpc_components.catalog.service_limits import LogRetention

EndpointKind = Literal["gateway", "interface"]


def endpoint_kind(service: str) -> EndpointKind | None:
    """How a VPC reaches an AWS service: by a free `gateway` or a paid `interface`; None for one not held here."""
    return _endpoints().get(service)


def endpoint_services() -> tuple[str, ...]:
    """The services with VPC endpoints held here, sorted."""
    return tuple(sorted(_endpoints()))


@cache
def log_retention_days() -> tuple[int, ...]:
    """The days for which CloudWatch Logs can keep a log, ascending."""
    return tuple(records("log_retention", __file__)[0]["days"])


def log_retention() -> LogRetention:
    """How long CloudWatch Logs can keep a log."""
    return LogRetention(service="CloudWatch", days=log_retention_days())


@cache
def launch_limit() -> tuple[int, int]:
    """Nodes that RunInstances launches at once in a region of a new account, and nodes per second after these."""
    (record,) = records("launch_limit", __file__)
    return record["burst"], record["per_second"]


@cache
def _endpoints() -> dict[str, EndpointKind]:
    return {
        service: record["kind"] for record in records("vpc_endpoints", __file__) for service in record["services"]
    }
