from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

import pulumi
import pulumi_aws as aws
from pulumi import Input, Output

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.identity.permissions import node_log_group
from hpc_components.aws.identity.policies import Statement, policy_document
from hpc_components.aws.identity.roles import attach_policy
from hpc_components.aws.ports import ConfigStore, Identity
from hpc_components.aws.session_manager.document import session_document
from hpc_components.aws.session_manager.limiter import make_limiter
from hpc_components.aws.session_manager.offer import SessionOrder, refusals
from hpc_components.aws.session_manager.permissions import (
    administrator_statements,
    node_statements,
    user_statements,
)
from hpc_components.aws.tags import Tags
from hpc_components.component import Component
from hpc_components.spec.surfaces import Key, Keys, refuse_first

UsersOn = Literal["login", "head"]

_ARGUMENTS: Keys = {
    "idle_minutes": Key(("idle_minutes",)),
    "max_minutes": Key(("max_minutes",)),
    "sessions": Key(("max_sessions_per_user",)),
    "log_days": Key(("log_days",)),
}


@dataclass(frozen=True, kw_only=True)
@checked_args
class SessionManagerArgs:
    """Arguments of `SessionManager`."""

    cluster: str
    """Name of the cluster, the `ClusterName` tag of its nodes. The document is named `hpc-<cluster>`."""
    config: ConfigStore
    """The cluster's config bucket, the `hpc:config` tag of its nodes, which distinguishes the cluster from another
    stack's cluster with the same name."""
    users_on: UsersOn = "login"
    """The `hpc:role` tag of the nodes that users may log in to."""
    nodes: Mapping[str, Identity] = field(default_factory=dict)
    """Own roles of the nodes on which sessions are logged and encrypted, keyed by any names. Roles that come from an
    existing instance profile get no permissions."""
    max_sessions_per_user: int | None = None
    """Maximum number of a user's sessions on all nodes that users may log in to. None: no limit."""
    idle_minutes: int = 20
    """How long a session may be without activity, from 1 to 60 minutes."""
    max_minutes: int | None = None
    """Maximum duration of a session, from 1 to 1440 minutes. None: no limit."""
    log_days: int | None = None
    """How long to keep logs of everything that sessions show, in days; must be one of the retention times that
    CloudWatch offers. None: no logs."""
    kms_key: Input[str] | None = None
    """ARN of a key that encrypts the logs and, in addition to TLS, the sessions themselves. Its policy must allow
    CloudWatch Logs to use it."""
    permissions_boundary: Input[str] | None = None
    """ARN of the permissions boundary for the function's role."""
    role_path: str = "/"
    """Path of the function's role."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse arguments that Session Manager or CloudWatch would refuse, and nodes that are closed to users."""
        if self.users_on not in get_args(UsersOn):
            choice = " or ".join(get_args(UsersOn))
            raise ValueError(f"SessionManagerArgs.users_on: {self.users_on!r} is unknown; use {choice}")
        order = SessionOrder(
            idle_minutes=self.idle_minutes,
            max_minutes=self.max_minutes,
            sessions=self.max_sessions_per_user,
            log_days=self.log_days,
        )
        refuse_first(self, refusals(order), _ARGUMENTS)


class SessionManager(Component[SessionManagerArgs]):
    """A session document for AWS Systems Manager Session Manager, with which users log in under their own accounts,
    and the policies that allow users to do so.

    A session runs as the Unix user whose name is in the tag `SSMSessionRunAs` of the caller's identity. Identities
    without the tag are refused. The policies are outputs, to be put into permission sets of IAM Identity Center.
    Users can start sessions only with this document and only on the nodes for users; administrators also as ssm-user,
    and on all nodes.

    With `max_sessions_per_user`, a Lambda function ends the newest sessions of users who have too many. It runs when
    CloudTrail reports the start of a session, for which the account needs a trail, and every five minutes.
    """

    document_name: Output[str]
    """Name of the session document."""
    log_group_name: Output[str] | None
    """Name of the log group with the logs of sessions, or None if sessions aren't logged."""
    user_policy: Output[str]
    """Policy for users, as JSON."""
    administrator_policy: Output[str]
    """Policy for administrators, as JSON."""

    def _make(self, name: str, args: SessionManagerArgs, opts: pulumi.ResourceOptions | None) -> None:
        document = f"hpc-{args.cluster}"
        summary = {"document": document, "maxSessionsPerUser": args.max_sessions_per_user}
        self._register("hpc:aws:SessionManager", name, summary, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        self.log_group_name = self._make_log_group()
        made = aws.ssm.Document(
            f"{name}-document",
            name=document,
            document_type="Session",
            document_format="JSON",
            content=session_document(
                idle_minutes=args.idle_minutes,
                max_minutes=args.max_minutes,
                log_group=self.log_group_name,
                kms_key=args.kms_key,
            ),
            tags=args.tags.for_resource(f"{name}-document"),
            opts=self._child,
        )
        self.document_name = made.name
        self._grant_to_nodes()
        if args.max_sessions_per_user is not None:
            make_limiter(
                f"{name}-limit",
                cluster=args.cluster,
                config=args.config,
                role=args.users_on,
                document=document,
                limit=args.max_sessions_per_user,
                permissions_boundary=args.permissions_boundary,
                role_path=args.role_path,
                tags=args.tags,
                opts=self._child,
            )
        self.user_policy = _json(user_statements(args.cluster, args.config, document, args.users_on, args.kms_key))
        self.administrator_policy = _json(administrator_statements(args.cluster, args.config, document, args.kms_key))
        self.register_outputs({"documentName": self.document_name, "logGroupName": self.log_group_name})

    def _make_log_group(self) -> Output[str] | None:
        args, name = self._args, f"{self._name}-log"
        if args.log_days is None:
            return None
        group = aws.cloudwatch.LogGroup(
            name,
            name=f"{node_log_group(args.cluster)}/sessions",
            retention_in_days=args.log_days,
            kms_key_id=args.kms_key,
            tags=args.tags.for_resource(name),
            opts=self._child,
        )
        return group.name

    def _grant_to_nodes(self) -> None:
        statements = node_statements(self.log_group_name, self._args.kms_key)
        for key, identity in self._args.nodes.items():
            if statements and identity.role_name is not None:
                attach_policy(f"{self._name}-{key}", identity.role_name, statements, self._child)


def _json(statements: tuple[Statement, ...]) -> Output[str]:
    return Output.from_input(policy_document(statements))
