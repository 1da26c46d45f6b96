from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws
from pulumi import Input, Output

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.catalog.arns import metrics_address
from hpc_components.aws.identity.policies import Statement
from hpc_components.aws.identity.roles import attach_policy
from hpc_components.aws.ports import Identity
from hpc_components.aws.tags import Tags
from hpc_components.component import Component
from hpc_components.resource_options import protected_options


@dataclass(frozen=True, kw_only=True)
@checked_args
class MetricsWorkspaceArgs:
    """Arguments of `MetricsWorkspace`."""

    workspace: str | None = None
    """ARN of an existing workspace. Default: a new one."""
    head: Identity
    """Role of the head node. A role that comes from an existing instance profile gets no permission."""
    retain: bool = True
    """Whether to protect a new workspace, and to keep it in the cloud when it is removed from the program."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Raise ValueError if `workspace` is not the ARN of a workspace."""
        if self.workspace is not None and metrics_address(self.workspace) is None:
            raise ValueError(
                f"MetricsWorkspaceArgs.workspace: {self.workspace!r} is not the ARN of a workspace; use an ARN such"
                " as arn:aws:aps:us-east-2:123456789012:workspace/ws-<id>"
            )


class MetricsWorkspace(Component[MetricsWorkspaceArgs]):
    """A workspace of Amazon Managed Service for Prometheus, and the head node's permission to send metrics to it.

    The permission allows neither to read metrics nor to delete them. The service keeps metrics for 150 days, unless
    the workspace is configured otherwise.
    """

    arn: Output[str]
    """ARN of the workspace."""
    write_url: Output[str]
    """URL to which Prometheus sends metrics."""
    query_url: Output[str]
    """URL of the workspace as a data source for Grafana, which must sign its requests."""

    def _make(self, name: str, args: MetricsWorkspaceArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:aws:MetricsWorkspace", name, {"existing": args.workspace is not None}, opts)
        arn, address = self._workspace(name, args, opts)
        child = pulumi.ResourceOptions(parent=self)
        if args.head.role_name is not None:
            sends = Statement("SendMetrics", ("aps:RemoteWrite",), (arn,))
            attach_policy(f"{name}-head", args.head.role_name, (sends,), child)
        self.arn = Output.from_input(arn)
        self.write_url = Output.concat(address, "api/v1/remote_write")
        self.query_url = Output.from_input(address)
        self.register_outputs({"arn": self.arn, "writeUrl": self.write_url, "queryUrl": self.query_url})

    def _workspace(
        self, name: str, args: MetricsWorkspaceArgs, opts: pulumi.ResourceOptions | None
    ) -> tuple[Input[str], Input[str]]:
        """Return ARN and address of the workspace, which is made unless there is one."""
        if args.workspace is not None:
            return args.workspace, metrics_address(args.workspace) or ""
        made = aws.amp.Workspace(
            name,
            alias=name,
            tags=args.tags.for_resource(name),
            opts=protected_options(self, opts, retain=args.retain),
        )
        return made.arn, made.prometheus_endpoint
