"""How administrators reach a cluster on AWS: Session Manager forwards to sshd, with no open port."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hpc_components.aws.catalog.first_users import first_user
from hpc_components.operate.ways import Program, Tunnel, TunnelSign

if TYPE_CHECKING:
    from hpc_components.aws.spec.cluster import AwsClusterSpec

PROGRAMS = (
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

_SIGNS = (
    # Source: AWS CLI user guide, "Troubleshooting errors"; botocore, exceptions.py
    TunnelSign(
        id="tunnel-login-expired",
        pattern=r"Unable to locate credentials|ExpiredToken|[Tt]oken has expired|SSO session .* (expired|invalid)"
        r"|config profile .* could not be found",
        why="The AWS CLI on this machine has no credentials now. Log in; AWS_PROFILE chooses the profile",
        command=("aws", "sso", "login"),
    ),
    # Source: Systems Manager API reference, StartSession; aws/session-manager-plugin#5
    TunnelSign(
        id="tunnel-machine-away",
        pattern="TargetNotConnected",
        why="The machine is stopped or boots, or the agent of Session Manager does not run there or can't reach its"
        " service. Debian's images lack it; use --via there",
    ),
    TunnelSign(
        id="tunnel-not-allowed",
        pattern="AccessDenied",
        why="It needs ssm:StartSession on the machine and on the document AWS-StartSSHSession. Ask whoever"
        " administers the account, or use --via",
        command=("aws", "sts", "get-caller-identity"),
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
    return Tunnel(title="Session Manager", command=command, programs=PROGRAMS, signs=_SIGNS)


def console(access: Mapping[str, Any], head: Mapping[str, Any]) -> Sequence[Sequence[str]]:
    """See `CloudReach`. Source: AWS CLI command reference, ec2."""
    region, machine = str(access["region"]), str(head["instance_id"])
    return (
        ("aws", "ec2", "describe-instance-status", "--include-all-instances", "--region", region,
         "--instance-ids", machine),
        ("aws", "ec2", "get-console-output", "--latest", "--output", "text", "--region", region,
         "--instance-id", machine),
    )  # fmt: skip
