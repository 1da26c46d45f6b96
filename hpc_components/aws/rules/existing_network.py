"""The rule on public subnets of an existing network."""

from collections.abc import Iterator

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-NET-009", Level.ERROR)
def public_subnets(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """An existing network has a public subnet for each public node and load balancer.

    The cluster creates no subnets in an existing network. In a private subnet, which has no route to an internet
    gateway, a public address is unreachable. Source: Amazon VPC user guide, "Internet gateways".
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
                reason=f"it is public, and network.existing has no public subnet in {zone}",
                remedy=f"add network.existing.public: {{{zone}: {{id: subnet-..., cidr: ...}}}}, or public: false",
            )
