"""Rules that compare the full cluster's needs with the default AWS service quotas of a new account."""

from collections.abc import Iterator

from hpc_components.aws.catalog.efa import efa_interfaces
from hpc_components.aws.catalog.network_limits import launch_limit
from hpc_components.aws.catalog.quotas import service_quota
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.queue_defaults import fabric_on
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._quotas import QuotaSum, about_quota


@rule("HPC-QTA-002", Level.WARNING)
def elastic_ips(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The quota for Elastic IP addresses must cover the NAT gateways and the head node.

    Source: Amazon VPC user guide, "Amazon VPC quotas".
    """
    network, allowed = cluster.network, service_quota("elastic_ips")
    gateways = {"none": 0, "one": 1, "per_zone": len(cluster.zones)}[network.nat] if network.cidr else 0
    needed = gateways + cluster.head_node.public
    if allowed.default is not None and needed > allowed.default:
        yield Problem(
            path=("network", "nat"),
            value=network.nat,
            reason=f"{gateways} NAT gateways and a public head node need {needed} addresses"
            if cluster.head_node.public
            else f"{gateways} NAT gateways need {needed} addresses",
            remedy=f"request a quota of {needed} ({allowed.code}; a new account has {allowed.default}), or use nat: "
            "one",
            about=about_quota(allowed, cluster.region),
        )


@rule("HPC-QTA-003", Level.WARNING)
def interfaces(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The quota for network interfaces must cover all nodes.

    A node with EFA has up to 33 interfaces. Source: Amazon VPC user guide, "Amazon VPC quotas".
    """
    need = QuotaSum(service_quota("network_interfaces"))
    for index, queue in enumerate(cluster.queues):
        each = max((len(efa_interfaces(name)) or 1 for name in queue.machines), default=1) if fabric_on(queue) else 1
        need.parts.append((queue.max * each, f"queue {queue.name}", ("queues", index, "max")))
    allowed = need.quota.default
    if need.parts and allowed is not None and need.total > allowed:
        yield Problem(
            path=need.path,
            value=need.total,
            reason=f"all nodes together need {need.total:,} network interfaces ({need.text}), but the default quota "
            f"is {allowed:,}",
            remedy=f"request a quota of {need.total:,} ({need.quota.code}) in {cluster.region}, or lower max in some "
            "queues",
            about=about_quota(need.quota, cluster.region),
        )


@rule("HPC-QTA-004", Level.WARNING)
def firewall_rules(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A security group must have room for one rule per range in `ssh_from`.

    Source: Amazon VPC user guide, "Amazon VPC quotas": inbound or outbound rules per security group.
    """
    allowed, ranges = service_quota("security_group_rules"), len(cluster.network.ssh_from)
    if allowed.default is not None and ranges > allowed.default:
        yield Problem(
            path=("network", "ssh_from"),
            value=ranges,
            reason=f"{ranges} ranges need {ranges} rules in one security group, but the default quota is "
            f"{allowed.default}",
            remedy=f"merge adjacent ranges, or request a higher quota ({allowed.code})",
            about=about_quota(allowed, cluster.region),
        )


@rule("HPC-QTA-006", Level.INFO)
def launch_rate(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """EC2 launches about a thousand nodes immediately, then two per second.

    Source: EC2 developer guide, "Request throttling": resource tokens of RunInstances.
    """
    burst, per_second = launch_limit()
    nodes = [(queue.max, ("queues", index, "max")) for index, queue in enumerate(cluster.queues)]
    if nodes and cluster.max_nodes > burst:
        _, path = max(nodes)
        seconds = (cluster.max_nodes - burst) / per_second
        yield Problem(
            path=path,
            value=cluster.max_nodes,
            reason=f"if {cluster.max_nodes:,} nodes are requested at the same time, {burst:,} start immediately and "
            f"the rest take another {seconds / 60:.0f} minutes",
            remedy="request a higher RunInstances rate from AWS Support, or stagger the jobs",
            about={"service": "ec2", "quota": "RunInstances", "region": cluster.region},
        )
