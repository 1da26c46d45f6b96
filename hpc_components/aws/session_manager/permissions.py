"""Pure functions that return the permissions for sessions as IAM policy statements."""

from collections.abc import Mapping, Sequence

from pulumi import Input

from hpc_components.aws.identity.permissions import log_writer_statements, write_log
from hpc_components.aws.identity.policies import Conditions, Statement, arn
from hpc_components.aws.ports import ConfigStore

DEFAULT_DOCUMENT = "SSM-SessionManagerRunShell"
"""Document of sessions for which no document is specified. They run as ssm-user, who can become root, unless the
account's preferences for Session Manager have another user."""

_CHECK_DOCUMENT: Mapping[str, Mapping[str, str]] = {"BoolIfExists": {"ssm:SessionDocumentAccessCheck": "true"}}
"""Makes Systems Manager check the permission for the document too. If a statement that allows starting sessions
lacked this condition, users could choose any document. Source: Systems Manager user guide, "Enforce a session
document permission check for the AWS CLI"."""


def user_statements(
    cluster: str, config: ConfigStore, document: str, role: str, kms_key: Input[str] | None
) -> tuple[Statement, ...]:
    """Return the permissions of users: start sessions with `document` on the cluster's nodes with the tag `hpc:role`
    set to `role`, and resume and end their own sessions.
    """
    nodes = {**_of_cluster(cluster, config), "ssm:resourceTag/hpc:role": role}
    return (*_start(nodes, [document]), *_use_own_sessions(kms_key))


def administrator_statements(
    cluster: str, config: ConfigStore, document: str, kms_key: Input[str] | None
) -> tuple[Statement, ...]:
    """Return the permissions of administrators: start sessions on all nodes of the cluster, under their own accounts
    or as ssm-user, resume and end their own sessions, and list all sessions.
    """
    return (
        *_start(_of_cluster(cluster, config), [document, DEFAULT_DOCUMENT]),
        *_use_own_sessions(kms_key),
        Statement("SeeSessions", ("ssm:DescribeSessions",), ("*",)),  # the action has no resource-level permissions
    )


def node_statements(log_group: Input[str] | None, kms_key: Input[str] | None) -> tuple[Statement, ...]:
    """Return the permissions that the agent on nodes needs for logs and encryption.

    Source: Systems Manager user guide, "Create a custom IAM role for Session Manager".
    """
    logs = () if log_group is None else log_writer_statements(log_group)
    return (*logs, *([] if kms_key is None else [Statement("DecryptSessions", ("kms:Decrypt",), (kms_key,))]))


def limiter_statements(log_group: Input[str]) -> tuple[Statement, ...]:
    """Return the permissions of the function that limits sessions. No condition can restrict it to the cluster's
    sessions, because a session has no tag of its cluster.
    """
    return (
        # both actions have no resource-level permissions
        Statement("SeeSessions", ("ec2:DescribeInstances", "ssm:DescribeSessions"), ("*",)),
        Statement("EndSessions", ("ssm:TerminateSession",), (arn("ssm", "session/*"),)),
        write_log(log_group),
    )


def _of_cluster(cluster: str, config: ConfigStore) -> dict[str, Input[str]]:
    """Return conditions on a node's tags. The bucket excludes clusters with the same name in other stacks."""
    return {"ssm:resourceTag/ClusterName": cluster, "ssm:resourceTag/hpc:config": config.bucket}


def _start(nodes: Mapping[str, Input[str]], documents: Sequence[str]) -> tuple[Statement, ...]:
    on_nodes: Conditions = {"StringEquals": nodes, **_CHECK_DOCUMENT}
    named = tuple(arn("ssm", f"document/{name}") for name in documents)
    return (
        Statement("StartOnNodes", ("ssm:StartSession",), (arn("ec2", "instance/*"),), on_nodes),
        Statement("StartWithDocument", ("ssm:StartSession",), named, _CHECK_DOCUMENT),
    )


def _use_own_sessions(kms_key: Input[str] | None) -> tuple[Statement, ...]:
    """Return the permissions of users for their own sessions.

    Systems Manager tags each session with the caller's `aws:userid`. The session's id can't be used instead, because
    it begins with the name of the role session, which no policy variable contains. Source: Systems Manager user
    guide, "Additional sample IAM policies for Session Manager", "Allow a user to end only sessions they started",
    method 2, and for OpenDataChannel "Sample IAM policies for Session Manager".
    """
    own = {"StringEquals": {"ssm:resourceTag/aws:ssmmessages:session-id": "${aws:userid}"}}
    statements = [
        Statement("UseOwnSessions", ("ssm:ResumeSession", "ssm:TerminateSession"), (arn("ssm", "session/*"),), own),
        # The action has no resource-level permissions; it takes a token that only the session's owner receives.
        Statement("OpenSessions", ("ssmmessages:OpenDataChannel",), ("*",)),
        # EC2 has no resource-level permissions for Describe actions.
        Statement("FindNodes", ("ec2:DescribeInstances",), ("*",)),
    ]
    if kms_key is not None:
        statements.append(Statement("EncryptSessions", ("kms:GenerateDataKey",), (kms_key,)))
    return tuple(statements)
