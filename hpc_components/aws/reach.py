"""How administrators reach a cluster on AWS: Session Manager forwards to sshd, with no open port."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hpc_components.aws.catalog.first_users import first_user
from hpc_components.operate.ways import Program, Tunnel

if TYPE_CHECKING:
    from hpc_components.aws.spec.cluster import AwsClusterSpec

_PROGRAMS = (
    Program(
        name="aws",
        remedy="is the AWS CLI: https://docs.aws.amazon.com/cli/latest/userguide/getting-started-install.html",
    ),
    # 1.1.23 for sessions over SSH. Source: Systems Manager user guide, "Allow and control permissions for SSH
    # connections through Session Manager"
    Program(
        name="session-manager-plugin",
        remedy="is the AWS CLI's plugin for Session Manager, 1.1.23 or newer:"
        " https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-working-with-install-plugin.html",
    ),
)


def access(cluster: "AwsClusterSpec") -> dict[str, Any]:
    """Return the stack's output `access`."""
    return {"cloud": "aws", "cluster": cluster.name, "region": cluster.region, "user": first_user(cluster.os)}


def tunnel(access: Mapping[str, Any], head: Mapping[str, Any]) -> Tunnel | None:
    """See `CloudReach`. Source of the command: Systems Manager user guide, "Allow and control permissions for SSH
    connections through Session Manager".
    """
    command = (
        "aws", "ssm", "start-session", "--region", str(access["region"]), "--target", str(head["instance_id"]),
        "--document-name", "AWS-StartSSHSession", "--parameters", "portNumber=22",
    )  # fmt: skip
    return Tunnel(title="Session Manager", command=command, programs=_PROGRAMS)
