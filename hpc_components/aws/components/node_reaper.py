"""Terminates the compute nodes when a cluster is destroyed."""

from dataclasses import dataclass, field
from pathlib import Path

import pulumi
import pulumi_aws as aws

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.components.permissions import reaper_statements
from hpc_components.aws.components.policies import trust_document
from hpc_components.aws.components.roles import attach_policy, make_role
from hpc_components.aws.ports import ConfigStore
from hpc_components.aws.tags import Tags
from hpc_components.component import Component

HANDLER = Path(__file__).parent / "node_reaper_lambda" / "handler.py"

MARGIN_SECONDS = 30
"""For the function's start and answer."""
MAX_WAIT_SECONDS = 870
"""The longest run of a Lambda function, 900 s, less the margin. Source: AWS Lambda developer guide, "Quotas"."""
LOG_DAYS = 30


@dataclass(frozen=True, kw_only=True)
@checked_args
class NodeReaperArgs:
    """Arguments of `NodeReaper`."""

    cluster: str
    """Instances with this `ClusterName` tag, its bucket as `hpc:config` and `hpc:role` compute are ended."""
    config: ConfigStore
    """Where the cluster's nodes fetch their configuration from: another stack may have a cluster of the same name."""
    wait_seconds: int = MAX_WAIT_SECONDS
    """Seconds to wait for their end, 60 to 870, before the destroy fails."""
    permissions_boundary: pulumi.Input[str] | None = None
    """ARN of the policy that bounds the function's role."""
    role_path: str = "/"
    """Path of the role."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse what Lambda would refuse, and an empty name, which no instance has."""
        if not self.cluster:
            raise ValueError("NodeReaperArgs.cluster: it is empty; give the ClusterName tag of the nodes to end")
        if not 60 <= self.wait_seconds <= MAX_WAIT_SECONDS:
            raise ValueError(
                f"NodeReaperArgs.wait_seconds: {self.wait_seconds} is not 60 to {MAX_WAIT_SECONDS},"
                " the longest that a Lambda function can wait"
            )


class NodeReaper(Component[NodeReaperArgs]):
    """Terminates a cluster's compute nodes on destroy, and waits until they are gone.

    The head node launches compute nodes by itself, so no stack knows of them; and while they run, subnets, security
    groups and roles can't be deleted. The reaper stands in between: give it `depends_on` with the network and the
    fleets, and give the head node `depends_on` with the reaper. A destroy goes the other way round: first the head
    node, so that no node is launched any more; then the reaper, which ends all that are tagged; then the rest.

    It runs as a function in AWS: nothing is needed on the machine from which the cluster is destroyed. What is still
    there when time is up stops the destroy with an error that names it.

    Moving or renaming the reaper, or replacing its function, ends the nodes as well: for its resources, both are a
    destroy.
    """

    function_name: pulumi.Output[str]
    """Name of the function."""

    def _make(self, name: str, args: NodeReaperArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:aws:NodeReaper", name, {"cluster": args.cluster}, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)

        log_group = aws.cloudwatch.LogGroup(
            f"{name}-log", retention_in_days=LOG_DAYS, tags=args.tags.for_resource(f"{name}-log"), opts=self._child
        )
        role = make_role(
            f"{name}-role",
            trust=trust_document("lambda.amazonaws.com"),
            tags=args.tags,
            permissions_boundary=args.permissions_boundary,
            role_path=args.role_path,
            opts=self._child,
        )
        statements = reaper_statements(args.cluster, args.config, log_group.name)
        policy = attach_policy(f"{name}-role", role.name, statements, self._child)
        function = self._make_function(role, log_group)
        aws.lambda_.Invocation(
            f"{name}-on-destroy",
            function_name=function.name,
            input=pulumi.Output.json_dumps({"cluster": args.cluster, "config": args.config.bucket}),
            lifecycle_scope="CRUD",
            opts=pulumi.ResourceOptions(parent=self, depends_on=[policy]),
        )
        self.function_name = function.name
        self.register_outputs({"functionName": self.function_name})

    def _make_function(self, role: "aws.iam.Role", log_group: "aws.cloudwatch.LogGroup") -> "aws.lambda_.Function":
        # as text, so that a plan shows its changes and not where this package is installed
        code = pulumi.AssetArchive({"handler.py": pulumi.StringAsset(HANDLER.read_text(encoding="utf-8"))})
        return aws.lambda_.Function(
            f"{self._name}-function",
            description="Ends the compute nodes of a cluster that is destroyed",
            runtime="python3.13",
            architectures=["arm64"],
            handler="handler.handler",
            code=code,
            role=role.arn,
            timeout=self._args.wait_seconds + MARGIN_SECONDS,
            memory_size=256,
            logging_config=aws.lambda_.FunctionLoggingConfigArgs(log_format="Text", log_group=log_group.name),
            tags=self._args.tags.for_resource(f"{self._name}-function"),
            opts=self._child,
        )
