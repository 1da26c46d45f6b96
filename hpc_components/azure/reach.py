"""How administrators reach a cluster on Azure: a tunnel of its Bastion, which listens on a port of this machine."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpc_components.operate.ways import Program, Tunnel, TunnelSign

if TYPE_CHECKING:
    from pulumi import Input

    from hpc_components.azure.spec.cluster import AzureClusterSpec

PROGRAMS = (Program(name="az", remedy="is the Azure CLI: https://learn.microsoft.com/cli/azure/install-azure-cli"),)


_SIGNS = (
    # Source: Azure CLI documentation, "Sign in with Azure CLI"; azure-cli-core, _profile.py
    TunnelSign(
        id="tunnel-login-expired",
        pattern="az login|AADSTS|No subscription found",
        why="The Azure CLI on this machine is not logged in, or its login has expired",
        command=("az", "login"),
    ),
    # Source: Azure Resource Manager, "Troubleshoot common deployment errors"; Azure/azure-cli#28339
    TunnelSign(
        id="tunnel-not-allowed",
        pattern="AuthorizationFailed|does not have authorization|Forbidden",
        why="It needs the role Reader on the head node's machine, its network interface and the Bastion. Ask whoever"
        " administers the subscription, or use --via",
        command=("az", "account", "show"),
    ),
    # Source: Azure Bastion documentation, "Troubleshoot Azure Bastion"
    TunnelSign(
        id="tunnel-machine-away",
        pattern="ResourceNotFound|Unexpected internal error|Connection (closed|reset)|no tunnel",
        why="The Bastion does not reach sshd on the machine: it is stopped or boots, or a network security group does"
        " not admit the Bastion",
    ),
)


def access(cluster: "AzureClusterSpec", bastion: "Input[str] | None", group: "Input[str]") -> dict[str, Any]:
    """Return the stack's output `access`. `bastion` is the name of the Bastion in the resource group `group`."""
    found = None if bastion is None else {"name": bastion, "resource_group": group}
    return {"cloud": "azure", "cluster": cluster.name, "bastion": found, "user": cluster.admin_user}


def tunnel(access: Mapping[str, Any], head: Mapping[str, Any]) -> Tunnel | None:
    """See `CloudReach`.

    The command can't forward its standard input (Azure/azure-cli#27999). Its extension `bastion` is installed on
    first use. Source: Azure CLI reference, "az network bastion tunnel"; Azure Bastion documentation, "Connect to a VM
    using a native client".
    """
    bastion = access["bastion"]
    if bastion is None:
        return None
    machine = str(head["vm_id"])
    if not machine.startswith("/subscriptions/"):
        raise ValueError(f"head_node.vm_id is {machine!r}")
    command = (
        "az", "network", "bastion", "tunnel", "--subscription", machine.split("/")[2],
        "--name", str(bastion["name"]), "--resource-group", str(bastion["resource_group"]),
        "--target-resource-id", machine, "--resource-port", "22", "--port", "{port}",
    )  # fmt: skip
    return Tunnel(title="Azure Bastion", command=command, listens=True, programs=PROGRAMS, signs=_SIGNS)


def console(access: Mapping[str, Any], head: Mapping[str, Any]) -> Sequence[Sequence[str]]:
    """See `CloudReach`. Source: Azure CLI reference, az vm, az vm boot-diagnostics."""
    machine = str(head["vm_id"])
    return (
        ("az", "vm", "get-instance-view", "--ids", machine, "--query", "instanceView.statuses"),
        ("az", "vm", "boot-diagnostics", "get-boot-log", "--ids", machine),
    )


def group_of(head: Mapping[str, Any]) -> tuple[str, str]:
    """Return subscription and resource group of the cluster, by the stack's output `head_node`. Raise ValueError if
    it has no machine's id.
    """
    subscription, group = str(head["vm_id"]).split("/")[2:5:2]
    return subscription, group
