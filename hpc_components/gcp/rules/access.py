from collections.abc import Iterator

from hpc_components.gcp.catalog.names import wrong_admin_user
from hpc_components.gcp.catalog.ssh_keys import wrong_ssh_key
from hpc_components.gcp.head.model import GcpHeadNode
from hpc_components.gcp.login.model import GcpLoginNodes
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule


@rule("HPC-SEC-009", Level.ERROR)
def admin_account(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The administrator's account name must be valid on Linux and must not be one that every node already has.

    Source: useradd(8); Compute Engine documentation, "Add SSH keys to VMs", metadata-based keys: `user:key`.
    """
    if wrong := wrong_admin_user(cluster.admin_user):
        yield Problem(path=("admin_user",), value=cluster.admin_user, reason=wrong[0], remedy=wrong[1])


@rule("HPC-SEC-010", Level.ERROR)
def admin_keys(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """An administrator's key must be a public SSH key.

    Source: Compute Engine documentation, "Create SSH keys"; RFC 4253, 6.6, and RFC 8709, 4.
    """
    for name, node in _nodes(cluster):
        if node.ssh_key is not None and (wrong := wrong_ssh_key(node.ssh_key)):
            yield Problem(path=(name, "ssh_key"), reason=wrong[0], remedy=wrong[1])


@rule("HPC-SEC-011", Level.ERROR)
def key_beside_os_login(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The description must not list SSH keys if OS Login is enabled.

    Machines with OS Login ignore keys in metadata. Source: Compute Engine documentation, "About OS Login", how OS
    Login works.
    """
    for name, node in _nodes(cluster):
        if cluster.os_login and node.ssh_key is not None:
            yield Problem(
                path=(name, "ssh_key"),
                reason="with os_login: true, IAM decides who may log in, and machines ignore this key",
                remedy="remove ssh_key and grant administrators the role roles/compute.osAdminLogin, or use "
                "os_login: false",
            )


@rule("HPC-SEC-012", Level.INFO)
def account_beside_os_login(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Don't set `admin_user` if OS Login is enabled, because account names then come from Google identities.

    Source: Compute Engine documentation, "About OS Login", user names.
    """
    if cluster.os_login and cluster.given("admin_user"):
        yield Problem(
            path=("admin_user",),
            value=cluster.admin_user,
            reason="with os_login: true, users log in with an account name from their Google identity, not as "
            f"{cluster.admin_user}",
            remedy="remove admin_user",
        )


@rule("HPC-SEC-013", Level.WARNING)
def door_without_key(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A node that accepts SSH from outside must have an administrator's key or use OS Login.

    Otherwise, users can't log in, because passwords are not accepted. Source: Compute Engine documentation, "Connect
    to Linux VMs".
    """
    if cluster.os_login or any(node.ssh_key for _, node in _nodes(cluster)):
        return
    for name, node in _nodes(cluster):
        if node.public and cluster.network.ssh_from:
            yield Problem(
                path=(name,),
                reason=f"{name} accepts SSH from network.ssh_from, but no administrator has a key for it",
                remedy="add ssh_key with the line from your id_ed25519.pub, or use os_login: true",
            )


@rule("HPC-SEC-014", Level.WARNING)
def way_in(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Users need a way into the cluster: IAP, a public head node, or login nodes.

    Source: IAP documentation, "Using IAP for TCP forwarding"; `firewall/` of this package.
    """
    network = cluster.network
    ours = network.existing is None or network.existing.firewall_rules
    if ours and not (network.iap or cluster.head_node.public or cluster.login_nodes):
        yield Problem(
            path=("network", "iap"),
            value=False,
            reason="there is no way to log in: the cluster has no login nodes, the head node has no public address, "
            "and IAP is off",
            remedy="use iap: true, add login_nodes, or use head_node.public: true with network.ssh_from",
        )


def _nodes(cluster: GcpClusterSpec) -> Iterator[tuple[str, GcpHeadNode | GcpLoginNodes]]:
    yield "head_node", cluster.head_node
    if cluster.login_nodes:
        yield "login_nodes", cluster.login_nodes
