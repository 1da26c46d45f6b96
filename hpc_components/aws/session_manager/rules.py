from collections.abc import Iterator

from hpc_components.aws.session_manager.model import Sessions, orders_of
from hpc_components.aws.session_manager.offer import LIMITS, refusals
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.surfaces import offer_rules

_PATH: Path = ("session_manager",)

offer_rules(__name__, AwsClusterSpec, LIMITS, refusals, orders_of)


@rule("HPC-SSM-005", Level.ERROR)
def agent_on_nodes(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Nodes that users log in to with Session Manager must have its agent.

    Debian's images lack the agent, and nodes don't install it. Source: Systems Manager user guide, "Find AMIs with
    the SSM Agent preinstalled".
    """
    place, image = _users_on(cluster)
    if cluster.session_manager and image is None and cluster.os.startswith("debian"):
        yield Problem(
            path=("os",),
            value=cluster.os,
            reason=f"the public image of {cluster.os} lacks Session Manager's agent, so sessions can't be started",
            remedy=f"specify an image that has the agent in {place}.image",
        )


@rule("HPC-SSM-006", Level.INFO)
def accounts_on_nodes(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Each user needs an account on the nodes and an identity with its name in the tag `SSMSessionRunAs`.

    Session Manager creates no accounts, and refuses sessions of identities without the tag. Source: Systems Manager
    user guide, "Turn on Run As support for Linux and macOS managed nodes".
    """
    if cluster.session_manager:
        yield Problem(
            path=_PATH,
            reason="sessions are refused unless the tag SSMSessionRunAs of the user's identity is the name of an "
            "account on the node",
            remedy="in IAM Identity Center, add SSMSessionRunAs to the attributes for access control, with the "
            "attribute that contains the name, e.g. ${path:userName}; docs/operate.md explains the steps",
        )


@rule("HPC-SSM-007", Level.INFO)
def trail_for_limit(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A limit of sessions takes effect promptly only if the account has a trail.

    The function that ends sessions runs when CloudTrail reports that a session starts, and every five minutes.
    CloudTrail sends such events only if a trail logs management events; it may be minutes late. Source: EventBridge
    user guide, "AWS service events delivered via AWS CloudTrail".
    """
    if cluster.session_manager and cluster.session_manager.max_sessions_per_user is not None:
        yield Problem(
            path=(*_PATH, "max_sessions_per_user"),
            value=cluster.session_manager.max_sessions_per_user,
            reason="the description doesn't show whether the account has a trail; without one, sessions above the "
            "limit can last for five minutes",
            remedy=f"check: aws cloudtrail describe-trails --region {cluster.region}, and aws cloudtrail "
            "get-event-selectors --trail-name NAME, which must include management events",
        )


@rule("HPC-SSM-008", Level.WARNING)
def key_for_logs(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The policy of the key for sessions must allow CloudWatch Logs to use the key.

    Otherwise, CloudWatch refuses to create the log group. Source: CloudWatch Logs user guide, "Encrypt log data in
    CloudWatch Logs using AWS Key Management Service".
    """
    sessions = cluster.session_manager
    if sessions and sessions.logs and sessions.kms_key:
        yield Problem(
            path=(*_PATH, "kms_key"),
            value=sessions.kms_key,
            reason="the log group can't be created unless the key's policy allows CloudWatch Logs to use the key",
            remedy=f"in the key's policy, allow logs.{cluster.region}.amazonaws.com kms:Encrypt, kms:Decrypt, "
            "kms:ReEncrypt*, kms:GenerateDataKey* and kms:Describe*, then silence this rule",
        )


@rule("HPC-SSM-009", Level.INFO)
def profile_for_sessions(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The role of an existing instance profile must allow logging and decrypting of sessions.

    The cluster adds no permissions to existing roles. If the permission for logs is missing, sessions are not logged;
    if the permission for the key is missing, they can't be started. Source: amazon-ssm-agent,
    agent/session/shell/shell.go.
    """
    sessions = cluster.session_manager
    needs = _needs(sessions) if sessions else []
    for place, node in (("head_node", cluster.head_node), ("login_nodes", cluster.login_nodes)):
        if needs and node and node.instance_profile:
            yield Problem(
                path=(place, "instance_profile"),
                value=node.instance_profile,
                reason=f"sessions on these nodes need {' and '.join(needs)}, and the role's permissions are unknown",
                remedy="add these permissions to the role",
            )


def _users_on(cluster: AwsClusterSpec) -> tuple[str, str | None]:
    """Return the key of the nodes that users log in to, and their image."""
    if cluster.login_nodes:
        return "login_nodes", cluster.base_of(cluster.login_nodes.image)
    return "head_node", cluster.base_of(cluster.head_node.image)


def _needs(sessions: Sessions) -> list[str]:
    logs = "logs:DescribeLogGroups, logs:DescribeLogStreams, logs:CreateLogStream and logs:PutLogEvents"
    return [*([logs] if sessions.logs else []), *(["kms:Decrypt"] if sessions.kms_key else [])]
