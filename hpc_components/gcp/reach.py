"""How administrators reach a cluster on Google Cloud: IAP forwards to sshd, with no public address."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hpc_components.operate.ways import Program, Tunnel

if TYPE_CHECKING:
    from hpc_components.gcp.spec.cluster import GcpClusterSpec

_PROGRAMS = (Program(name="gcloud", remedy="is the Google Cloud CLI: https://cloud.google.com/sdk/docs/install"),)

_MACHINE = re.compile(r"projects/(?P<project>[^/]+)/zones/(?P<zone>[^/]+)/instances/(?P<name>[^/]+)")
"""An instance's id in the provider's state. Source: pulumi_gcp, Instance, import."""


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
    found = _MACHINE.fullmatch(str(head["instance_id"]))
    if found is None:
        raise ValueError(f"head_node.instance_id is {head['instance_id']!r}")
    command = (
        "gcloud", "compute", "start-iap-tunnel", found["name"], "22", "--listen-on-stdin",
        f"--project={found['project']}", f"--zone={found['zone']}", "--verbosity=warning",
    )  # fmt: skip
    return Tunnel(title="Identity-Aware Proxy", command=command, programs=_PROGRAMS)
