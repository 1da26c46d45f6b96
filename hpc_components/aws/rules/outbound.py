"""Rules on the ways out of the network: NAT gateways, endpoints of AWS services, flow logs."""

import re
from collections.abc import Iterator

from hpc_components.aws.catalog.network_limits import endpoint_kind, endpoint_services, log_retention_days
from hpc_components.aws.catalog.prices import service_price
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog import HOURS_PER_MONTH
from hpc_components.spec.bucket_access import bucket_access, places
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._networks import endpoints_twice
from hpc_components.wording import closest_word, plural

NEEDED_ENDPOINTS = {
    "s3": "nodes fetch their configuration",
    "ec2": "the head node launches and terminates nodes",
    "secretsmanager": "nodes fetch the cluster's keys",
    "ssm": "Session Manager opens shells",
    "ssmmessages": "Session Manager opens shells",
    "logs": "nodes send their logs",
}
"""AWS services that a cluster can't be without, and what for."""

FOR_BUCKETS = {"sts": "nodes take the role by which people and jobs use buckets"}
"""What a cluster with buckets needs besides."""


@rule("HPC-NET-015", Level.ERROR)
def missing_endpoints(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A network without NAT has endpoints for all the AWS services that nodes need.

    A node without a way to them boots and never joins. Source: AWS PrivateLink guide; what the boot scripts call.
    """
    network = cluster.network
    if network.cidr is None or network.nat != "none":
        return
    needed = NEEDED_ENDPOINTS | (FOR_BUCKETS if _lends(cluster) else {})
    if cluster.head_node.public:
        needed.pop("ec2")
    missing = [name for name in needed if name not in network.endpoints]
    if missing:
        why = "; ".join(f"{name}: {needed[name]}" for name in missing)
        yield Problem(
            path=("network", "nat"),
            value=network.nat,
            reason=f"private nodes have no NAT and no endpoint for {', '.join(missing)} ({why})",
            remedy=f"use nat: one, or endpoints: [{', '.join((*network.endpoints, *missing))}]",
        )


@rule("HPC-NET-017", Level.ERROR)
def endpoint_names(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Every endpoint is for an AWS service that has one.

    The list is of services of use to a cluster; a name that is close to none of them is only warned about.
    Source: AWS PrivateLink guide, "AWS services that integrate with AWS PrivateLink".
    """
    for index, service in enumerate(cluster.network.endpoints):
        if endpoint_kind(service) is None:
            near = closest_word(service, endpoint_services(), cutoff=0.7)
            yield Problem(
                path=("network", "endpoints", index),
                value=service,
                reason=f"{service!r} is no service that we know to have an endpoint",
                remedy=f"did you mean {near}?" if near else "compare with `aws ec2 describe-vpc-endpoint-services`",
                level=None if near or not re.fullmatch(r"[a-z0-9][a-z0-9.-]*", service) else Level.WARNING,
            )


@rule("HPC-NET-018", Level.ERROR)
def endpoint_twice(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """No endpoint is listed twice.

    A VPC refuses a second one with private DNS for the same service. Source: Amazon VPC API, CreateVpcEndpoint.
    """
    yield from endpoints_twice(cluster.network.endpoints)


@rule("HPC-NET-019", Level.INFO)
def endpoint_cost(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Endpoints other than those for S3 and DynamoDB cost by the hour and zone.

    Source: AWS PrivateLink pricing.
    """
    paid = [service for service in cluster.network.endpoints if endpoint_kind(service) == "interface"]
    price = service_price("interface_endpoint.hour", cluster.region)
    if cluster.network.cidr is None or not paid or price is None:
        return
    count = len(paid) * len(cluster.zones)
    yield Problem(
        path=("network", "endpoints"),
        reason=f"{', '.join(paid)} in {plural(len(cluster.zones), 'zone')}: {count} endpoints at "
        f"{price.usd} USD an hour (list price, {price.region}, {price.as_of}) are "
        f"{count * price.usd * HOURS_PER_MONTH:.0f} USD a month",
        remedy="with NAT, keep only those that carry much data or must not leave the network",
    )


@rule("HPC-NET-021", Level.INFO)
def nat_for_many_zones(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A single NAT gateway serves several zones at the price of traffic between zones.

    And when its zone fails, nodes in the other zones lose the internet. Source: Amazon VPC user guide, NAT gateways.
    """
    if cluster.network.cidr is not None and cluster.network.nat == "one" and len(cluster.zones) > 1:
        yield Problem(
            path=("network", "nat"),
            value="one",
            reason=f"nodes in {', '.join(cluster.zones[1:])} reach the internet through {cluster.zone}: "
            "their traffic is paid per GB between zones, and stops if that zone fails",
            remedy="use nat: per_zone if they download much; the bucket endpoint carries S3 for free",
        )


@rule("HPC-NET-022", Level.ERROR)
def flow_log_steps(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Flow logs are kept for a time that CloudWatch knows.

    Source: CloudWatch Logs API, PutRetentionPolicy.
    """
    kept = cluster.network.flow_logs
    if kept is not None and kept.days not in log_retention_days():
        longer = next((days for days in log_retention_days() if days >= kept.days), log_retention_days()[-1])
        yield Problem(
            path=("network", "flow_logs"),
            value=str(kept),
            reason=f"CloudWatch can't keep a log for {kept}",
            remedy=f"use {longer}d, or another of {', '.join(f'{days}d' for days in log_retention_days())}",
        )


@rule("HPC-NET-023", Level.WARNING)
def bucket_traffic(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Traffic with S3 goes through the free endpoint, not through the NAT gateway.

    A NAT gateway is paid by the GB, the gateway endpoint for S3 is not. Source: Amazon VPC pricing.
    """
    network = cluster.network
    price = service_price("nat_gateway.data", cluster.region)
    if network.cidr is not None and network.nat != "none" and "s3" not in network.endpoints and price is not None:
        yield Problem(
            path=("network", "endpoints") if network.given("endpoints") else ("network",),
            value=", ".join(network.endpoints) or "[]",
            reason=f"what nodes read from buckets goes through NAT, at {price.usd} USD per GB",
            remedy=f"use endpoints: [{', '.join(('s3', *network.endpoints))}]; the endpoint for s3 is free",
        )


def _lends(cluster: AwsClusterSpec) -> bool:
    """Whether nodes take a role for buckets from STS."""
    return any(bucket_access(bucket, place) for bucket in cluster.buckets.values() for place in places(cluster))
