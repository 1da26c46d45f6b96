from collections.abc import Iterator

from hpc_components.azure.catalog.names import wrong_admin_user
from hpc_components.azure.catalog.ssh_keys import wrong_ssh_key
from hpc_components.azure.head.model import AzureHeadNode
from hpc_components.azure.login.model import AzureLoginNodes
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule

SERVICES = ("munge", "slurm", "slurmrestd")
"""Accounts of Slurm's services. They can't be used as the administrator's account."""


@rule("HPC-SEC-005", Level.ERROR)
def admin_account(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """The administrator's account name must be one that Azure accepts and no Slurm service uses.

    Source: Azure VM FAQ for Linux, "What are the username requirements when creating a VM?".
    """
    name = cluster.admin_user
    wrong = wrong_admin_user(name)
    if wrong is None and name in SERVICES:
        wrong = f"{name} is the account of a Slurm service", "use another name, e.g. azureuser"
    if wrong:
        yield Problem(path=("admin_user",), value=name, reason=wrong[0], remedy=wrong[1])


@rule("HPC-SEC-006", Level.ERROR)
def admin_keys(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """An administrator's key must be a public SSH key that Azure accepts: ED25519, or RSA with at least 2048 bits.

    Source: Azure documentation, "Create and manage SSH keys for authentication to a Linux VM", supported formats.
    """
    for name, node in _nodes(cluster):
        if node.ssh_key is not None and (wrong := wrong_ssh_key(node.ssh_key)):
            yield Problem(path=(name, "ssh_key"), reason=wrong[0], remedy=wrong[1])


@rule("HPC-SEC-007", Level.WARNING)
def door_without_key(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A node that can be reached by SSH should have an administrator's key.

    Nodes don't accept passwords. If `ssh_key` is missing, a key is generated and its private half is discarded.
    Source: Azure documentation, "Create and manage SSH keys for authentication to a Linux VM".
    """
    if any(node.ssh_key for _, node in _nodes(cluster)):
        return
    doors = [name for name, node in _nodes(cluster) if node.public and cluster.network.ssh_from]
    if not doors and cluster.network.bastion:
        doors = ["head_node"]
    for name in doors:
        by = "from network.ssh_from" if cluster.network.ssh_from else "through Azure Bastion"
        yield Problem(
            path=(name,),
            reason=f"{name} can be reached by SSH {by}, but no administrator's key is specified",
            remedy="add ssh_key with the content of your id_ed25519.pub",
        )


@rule("HPC-SEC-008", Level.WARNING)
def way_in(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Users need a way to log in: a public head node, login nodes, or Azure Bastion.

    Azure has no remote shell that works without network access. Without one of these, the head node's security group
    blocks SSH from outside the cluster. Source: `network/security_rules.py`.
    """
    network = cluster.network
    guarded = network.existing is None or network.existing.security_groups
    if guarded and not (cluster.head_node.public or cluster.login_nodes or network.bastion):
        ours = network.existing is None
        yield Problem(
            path=("head_node",),
            reason="the head node has no public address, and there are no login nodes"
            + (" and no Bastion" if ours else "")
            + ", so users can't log in",
            remedy=("add network.bastion: true, or " if ours else "add ")
            + "login_nodes: {machine: Standard_D2s_v5}, or head_node.public: true with network.ssh_from",
        )


def _nodes(cluster: AzureClusterSpec) -> Iterator[tuple[str, AzureHeadNode | AzureLoginNodes]]:
    yield "head_node", cluster.head_node
    if cluster.login_nodes:
        yield "login_nodes", cluster.login_nodes
