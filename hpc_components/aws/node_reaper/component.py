from dataclasses import dataclass, field
from pathlib import Path

import pulumi
import pulumi_aws as aws

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.components.function import make_function
from hpc_components.aws.identity.permissions import reaper_statements
from hpc_components.aws.ports import ConfigStore
from hpc_components.aws.tags import Tags
from hpc_components.component import Component

HANDLER = Path(__file__).with_name("handler.py")

MARGIN_SECONDS = 30
"""Seconds of the function's timeout that are reserved for starting up and responding."""
MAX_WAIT_SECONDS = 870
"""Maximum time to wait, in seconds: Lambda's maximum timeout of 900 s minus the margin. Source: AWS Lambda developer
guide, "Quotas"."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class NodeReaperArgs:
    """Arguments of `NodeReaper`."""

    cluster: str
    """Name of the cluster. The reaper terminates the instances that have all of these tags: `ClusterName` set to this
    name, `hpc:config` set to the cluster's config bucket, and `hpc:role` set to `compute`."""
    config: ConfigStore
    """The cluster's config bucket, which distinguishes the cluster from another stack's cluster with the same
    name."""
    wait_seconds: int = MAX_WAIT_SECONDS
    """Number of seconds, from 60 to 870, to wait for the nodes to terminate before the destroy fails."""
    permissions_boundary: pulumi.Input[str] | None = None
    """ARN of the permissions boundary for the function's role."""
    role_path: str = "/"
    """Path of the function's role."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse arguments that Lambda would refuse, and an empty cluster name."""
        if not self.cluster:
            raise ValueError(
                "NodeReaperArgs.cluster: the name is empty; specify the ClusterName tag of the nodes to terminate"
            )
        if not 60 <= self.wait_seconds <= MAX_WAIT_SECONDS:
            raise ValueError(
                f"NodeReaperArgs.wait_seconds: {self.wait_seconds} is out of range; use 60 to "
                f"{MAX_WAIT_SECONDS}, the longest wait that a Lambda function allows"
            )


class NodeReaper(Component[NodeReaperArgs]):
    """A function that terminates a cluster's compute nodes on destroy and waits until they are gone.

    The head node launches compute nodes by itself, so they aren't part of any stack. While they run, subnets,
    security groups and roles can't be deleted. Therefore, make the reaper depend on the network and the fleets, and
    make the head node depend on the reaper. A destroy runs in reverse order: it first deletes the head node, so that
    no more nodes are launched, then the reaper, which terminates all tagged nodes, and then everything else.

    The reaper runs as a Lambda function, so a destroy needs no extra software on the machine that runs it. If any
    nodes remain at the timeout, the destroy stops with an error that names them.

    The nodes are also terminated if you move or rename the reaper or replace its function, because each of these
    changes deletes the reaper's old resources.
    """

    function_name: pulumi.Output[str]
    """Name of the function."""

    def _make(self, name: str, args: NodeReaperArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:aws:NodeReaper", name, {"cluster": args.cluster}, opts)
        function, policy = make_function(
            name,
            description="Ends the compute nodes of a cluster that is destroyed",
            code=HANDLER,
            timeout_seconds=args.wait_seconds + MARGIN_SECONDS,
            statements=lambda log_group: reaper_statements(args.cluster, args.config, log_group),
            permissions_boundary=args.permissions_boundary,
            role_path=args.role_path,
            tags=args.tags,
            opts=pulumi.ResourceOptions(parent=self),
        )
        aws.lambda_.Invocation(
            f"{name}-on-destroy",
            function_name=function.name,
            input=pulumi.Output.json_dumps({"cluster": args.cluster, "config": args.config.bucket}),
            lifecycle_scope="CRUD",
            opts=pulumi.ResourceOptions(parent=self, depends_on=[policy]),
        )
        self.function_name = function.name
        self.register_outputs({"functionName": self.function_name})
