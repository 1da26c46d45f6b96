from collections.abc import Iterator, Sequence
from typing import Literal

from hpc_components.gcp.firewall.component import FirewallRulesArgs
from hpc_components.gcp.network.addresses import plan_subnets
from hpc_components.gcp.network.args import needs_services
from hpc_components.gcp.ports import Identities, Network
from hpc_components.gcp.spec.cluster import GcpClusterSpec


def firewall_args(
    cluster: GcpClusterSpec, network: Network, head: Identities, login: Identities | None, nodes: Sequence[Identities]
) -> FirewallRulesArgs:
    services = None
    if needs_services(cluster) and cluster.network.cidr is not None:
        services = str(plan_subnets(cluster.network.cidr).services)
    return FirewallRulesArgs(
        # A network in another project must have its own firewall rules, so a network that needs these rules is in
        # this project.
        project=cluster.project,
        network=network,
        head=head.own.email,
        login=None if login is None else login.own.email,
        nodes=tuple(each.own.email for each in nodes),
        ssh_from=tuple(map(str, cluster.network.ssh_from)),
        ssh_to=tuple(_public_places(cluster)),
        iap=cluster.network.iap,
        services_range=services,
    )


def _public_places(cluster: GcpClusterSpec) -> Iterator[Literal["head", "login"]]:
    """Yield the kinds of nodes that `network.ssh_from` applies to: a public head node, and login nodes."""
    if cluster.head_node.public:
        yield "head"
    if cluster.login_nodes is not None:
        yield "login"
