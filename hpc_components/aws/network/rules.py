import re
from collections.abc import Iterator
from ipaddress import IPv4Network

from hpc_components.aws.catalog.network_limits import endpoint_kind, endpoint_services, log_retention_days
from hpc_components.aws.catalog.prices import service_price
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog import HOURS_PER_MONTH
from hpc_components.spec.bucket_access import bucket_access, places
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._networks import endpoints_twice
from hpc_components.wording import closest_word, plural


@rule("HPC-NET-003", Level.ERROR)
def range_size(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A new network's range must be a /16 to /20.

    A VPC can't be larger than a /16. A range smaller than a /20 can't be divided into a public and a private subnet
    for each of seven zones. Source: Amazon VPC user guide, "VPC CIDR blocks"; the address plan in
    `network/addresses.py`.
    """
    cidr = cluster.network.cidr
    if cidr is None or 16 <= cidr.prefixlen <= 20:
        return
    if cidr.prefixlen > 20:
        reason, better = "is too small to provide subnets for all zones", cidr.supernet(new_prefix=20)
    else:
        reason, better = "is too large for a VPC", IPv4Network(f"{cidr.network_address}/16")
    yield Problem(
        path=("network", "cidr"),
        value=str(cidr),
        reason=f"{cidr} {reason}",
        remedy=f"use a /16 to /20, e.g. {better}",
    )


@rule("HPC-NET-009", Level.ERROR)
def public_subnets(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An existing network must have a public subnet in each zone with a public node or load balancer.

    The cluster creates no subnets in an existing network. A private subnet has no route to an internet gateway, so a
    public address there is unreachable. Source: Amazon VPC user guide, "Internet gateways".
    """
    existing = cluster.network.existing
    if existing is None:
        return
    wanted = [(("head_node", "public"), cluster.zone)] if cluster.head_node.public else []
    if cluster.login_nodes and cluster.login_nodes.public:
        wanted += [(("login_nodes", "public"), zone) for zone in cluster.login_nodes.zones or (cluster.zone,)]
    for path, zone in wanted:
        if zone not in existing.public:
            yield Problem(
                path=path,
                value=True,
                reason=f"a public address needs a public subnet, but network.existing has none in {zone}",
                remedy=f"add network.existing.public: {{{zone}: {{id: subnet-..., cidr: ...}}}}, "
                "or set public: false",
            )


NEEDED_ENDPOINTS = {
    "s3": "nodes fetch their configuration",
    "ec2": "the head node launches and terminates nodes",
    "secretsmanager": "nodes fetch the cluster's keys",
    "ssm": "Session Manager opens shells",
    "ssmmessages": "Session Manager opens shells",
    "logs": "nodes send their logs",
}

FOR_BUCKETS = {"sts": "nodes assume the role that users and jobs use to access buckets"}
"""Additional services that a cluster with buckets needs, with the reason for each."""

FOR_SESSION_KEY = {"kms": "Session Manager decrypts sessions"}
"""An additional service that a cluster with a key for sessions needs, with the reason."""

FOR_METRICS = {"aps-workspaces": "the head node sends metrics to the workspace"}
"""An additional service that a cluster with `monitoring.remote_write` needs, with the reason. Source: Amazon Managed
Service for Prometheus user guide, "Using Amazon Managed Service for Prometheus with interface VPC endpoints"."""


@rule("HPC-NET-015", Level.ERROR)
def missing_endpoints(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A network without NAT must have endpoints for all AWS services that nodes need.

    A node that can't reach these services boots but never joins the cluster. Source: AWS PrivateLink guide; calls
    made by the boot scripts.
    """
    network = cluster.network
    if network.cidr is None or network.nat != "none":
        return
    has_key = cluster.session_manager is not None and cluster.session_manager.kms_key is not None
    needed = NEEDED_ENDPOINTS | (FOR_BUCKETS if _lends(cluster) else {}) | (FOR_SESSION_KEY if has_key else {})
    if cluster.head_node.public:
        needed.pop("ec2")
    elif cluster.monitoring and cluster.monitoring.remote_write:
        needed |= FOR_METRICS
    missing = [name for name in needed if name not in network.endpoints]
    if missing:
        why = "; ".join(f"{name}: {needed[name]}" for name in missing)
        yield Problem(
            path=("network", "nat"),
            value=network.nat,
            reason=f"private nodes have no NAT gateway and no endpoint for {', '.join(missing)} ({why})",
            remedy=f"use nat: one, or endpoints: [{', '.join((*network.endpoints, *missing))}]",
        )


@rule("HPC-NET-017", Level.ERROR)
def endpoint_names(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Each endpoint must be for an AWS service that supports endpoints.

    The catalogue lists only services that are useful to a cluster, so a name that resembles none of them causes a
    warning instead of an error. Source: AWS PrivateLink guide, "AWS services that integrate with AWS PrivateLink".
    """
    for index, service in enumerate(cluster.network.endpoints):
        if endpoint_kind(service) is None:
            near = closest_word(service, endpoint_services(), cutoff=0.7)
            yield Problem(
                path=("network", "endpoints", index),
                value=service,
                reason=f"the catalogue lists no endpoint for a service named {service!r}",
                remedy=f"did you mean {near}?"
                if near
                else "check the name against the output of `aws ec2 describe-vpc-endpoint-services`",
                level=None if near or not re.fullmatch(r"[a-z0-9][a-z0-9.-]*", service) else Level.WARNING,
            )


@rule("HPC-NET-018", Level.ERROR)
def endpoint_twice(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A service must not be listed more than once in `network.endpoints`.

    A VPC can't have two endpoints with private DNS for the same service. Source: Amazon VPC API, CreateVpcEndpoint.
    """
    yield from endpoints_twice(cluster.network.endpoints)


@rule("HPC-NET-019", Level.INFO)
def endpoint_cost(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Endpoints for services other than S3 and DynamoDB are billed per hour and zone.

    The endpoints for S3 and DynamoDB are free. Source: AWS PrivateLink pricing.
    """
    paid = [service for service in cluster.network.endpoints if endpoint_kind(service) == "interface"]
    price = service_price("interface_endpoint.hour", cluster.region)
    if cluster.network.cidr is None or not paid or price is None:
        return
    count = len(paid) * len(cluster.zones)
    yield Problem(
        path=("network", "endpoints"),
        reason=f"{', '.join(paid)} in {plural(len(cluster.zones), 'zone')}: {count} endpoints at {price.usd} USD per "
        f"hour (list price, {price.region}, {price.as_of}) cost {count * price.usd * HOURS_PER_MONTH:.0f} USD "
        "per month",
        remedy="if the network has NAT, keep only the endpoints for traffic that is heavy or must not leave the "
        "network",
    )


@rule("HPC-NET-021", Level.INFO)
def nat_for_many_zones(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """If several zones share a NAT gateway, traffic between zones is billed.

    If zones share a gateway, traffic between zones is billed, and nodes in other zones lose access to the internet if
    the gateway's zone fails. Source: Amazon VPC user guide, NAT gateways.
    """
    if cluster.network.cidr is not None and cluster.network.nat == "one" and len(cluster.zones) > 1:
        yield Problem(
            path=("network", "nat"),
            value="one",
            reason=f"nodes in {', '.join(cluster.zones[1:])} reach the internet through {cluster.zone}: this traffic "
            "crosses zones, so it is billed per GB, and it stops if that zone fails",
            remedy="use nat: per_zone if these nodes download a lot of data from outside S3 (traffic through the S3 "
            "endpoint is free)",
        )


@rule("HPC-NET-022", Level.ERROR)
def flow_log_steps(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The retention time of flow logs must be one that CloudWatch offers.

    Source: CloudWatch Logs API, PutRetentionPolicy.
    """
    kept = cluster.network.flow_logs
    if kept is not None and kept.days not in log_retention_days():
        longer = next((days for days in log_retention_days() if days >= kept.days), log_retention_days()[-1])
        yield Problem(
            path=("network", "flow_logs"),
            value=str(kept),
            reason=f"CloudWatch can't keep logs for {kept}",
            remedy=f"use {longer}d or another retention time that CloudWatch offers: "
            f"{', '.join(f'{days}d' for days in log_retention_days())}",
        )


@rule("HPC-NET-023", Level.WARNING)
def bucket_traffic(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Traffic to and from S3 should use the free gateway endpoint instead of the NAT gateway.

    Traffic through a NAT gateway is billed per GB. Source: Amazon VPC pricing.
    """
    network = cluster.network
    price = service_price("nat_gateway.data", cluster.region)
    if network.cidr is not None and network.nat != "none" and "s3" not in network.endpoints and price is not None:
        yield Problem(
            path=("network", "endpoints") if network.given("endpoints") else ("network",),
            value=", ".join(network.endpoints) or "[]",
            reason=f"traffic between nodes and buckets goes through the NAT gateway, at {price.usd} USD per GB",
            remedy=f"use endpoints: [{', '.join(('s3', *network.endpoints))}]; the endpoint for s3 is free",
        )


def _lends(cluster: AwsClusterSpec) -> bool:
    """Return whether nodes need STS to assume a role for access to buckets."""
    shared = any(bucket_access(bucket, place) for bucket in cluster.buckets.values() for place in places(cluster))
    return shared or any(one.has_role for one in cluster.organizations.values())
