"""How administrators reach a cluster on Google Cloud: IAP forwards to sshd, with no public address."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpc_components.operate.ways import Program, Tunnel, TunnelSign

if TYPE_CHECKING:
    from hpc_components.gcp.spec.cluster import GcpClusterSpec

PROGRAMS = (Program(name="gcloud", remedy="is the Google Cloud CLI: https://cloud.google.com/sdk/docs/install"),)

_MACHINE = re.compile(r"projects/(?P<project>[^/]+)/zones/(?P<zone>[^/]+)/instances/(?P<name>[^/]+)")
"""An instance's id in the provider's state. Source: pulumi_gcp, Instance, import."""


_SIGNS = (
    # Source: Google Cloud CLI, googlecloudsdk/core/credentials/exceptions.py
    TunnelSign(
        id="tunnel-login-expired",
        pattern="Reauthentication|refreshing your current auth tokens|do not currently have an active account",
        why="The Google Cloud CLI on this machine is not logged in, or its login has expired",
        command=("gcloud", "auth", "login"),
    ),
    # Source of 4033 and 4003: Google Cloud documentation, "Using IAP for TCP forwarding", troubleshooting
    TunnelSign(
        id="tunnel-not-allowed",
        pattern="4033|not authorized|PERMISSION_DENIED|Required 'compute",
        why="It needs roles/iap.tunnelResourceAccessor on the machine or the project. Ask whoever administers the"
        " project, or use --via",
        command=("gcloud", "auth", "list"),
    ),
    TunnelSign(
        id="tunnel-machine-away",
        pattern="4003|failed to connect to backend|4010|was not found",
        why="Identity-Aware Proxy does not reach sshd on the machine: it is stopped or boots, or no firewall rule"
        " admits 35.235.240.0/20 to port 22",
    ),
)


def access(cluster: "GcpClusterSpec") -> dict[str, Any]:
    """Return the stack's output `access`.

    With OS Login, accounts follow from Google identities, so that the stack knows none.
    """
    return {
        "cloud": "gcp",
        "cluster": cluster.name,
        "iap": cluster.network.iap,
        "user": None if cluster.os_login else cluster.admin_user,
    }


def tunnel(access: Mapping[str, Any], head: Mapping[str, Any]) -> Tunnel | None:
    """See `CloudReach`. Source of the command: IAP documentation, "Using IAP for TCP forwarding"."""
    if not access["iap"]:
        return None
    found = machine_of(head)
    command = (
        "gcloud", "compute", "start-iap-tunnel", found["name"], "22", "--listen-on-stdin",
        f"--project={found['project']}", f"--zone={found['zone']}", "--verbosity=warning",
    )  # fmt: skip
    return Tunnel(title="Identity-Aware Proxy", command=command, programs=PROGRAMS, signs=_SIGNS)


def console(access: Mapping[str, Any], head: Mapping[str, Any]) -> Sequence[Sequence[str]]:
    """See `CloudReach`. Source: gcloud reference, compute instances."""
    found = machine_of(head)
    machine = (found["name"], f"--project={found['project']}", f"--zone={found['zone']}")
    return (
        ("gcloud", "compute", "instances", "describe", *machine, "--format=value(status)"),
        ("gcloud", "compute", "instances", "get-serial-port-output", *machine),
    )


def machine_of(head: Mapping[str, Any]) -> re.Match[str]:
    found = _MACHINE.fullmatch(str(head["instance_id"]))
    if found is None:
        raise ValueError(f"head_node.instance_id is {head['instance_id']!r}")
    return found
