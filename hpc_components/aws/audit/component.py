from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws
from pulumi import Output

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.catalog.network_limits import log_retention_days
from hpc_components.aws.identity.permissions import node_log_group, write_log
from hpc_components.aws.identity.roles import attach_policy
from hpc_components.aws.ports import Identity
from hpc_components.aws.tags import Tags
from hpc_components.component import Component
from hpc_components.resource_options import protected_options
from hpc_components.wording import any_of


@dataclass(frozen=True, kw_only=True)
@checked_args
class AuditTrailArgs:
    """Arguments of `AuditTrail`."""

    cluster: str
    """Name of the cluster."""
    keep_days: int = 400
    """How long to keep the trail, in days; must be one of the retention times that CloudWatch offers."""
    nodes: Mapping[str, Identity] = field(default_factory=dict)
    """Own roles of the nodes that send their records, keyed by any names. Roles that come from an existing instance
    profile get no permissions."""
    retain: bool = True
    """Whether to protect the log group, and to keep it in the cloud when it is removed from the program."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Raise ValueError if CloudWatch does not offer this retention."""
        if self.keep_days not in (offered := log_retention_days()):
            near = [*[days for days in offered if days < self.keep_days][-1:]]
            near += [days for days in offered if days > self.keep_days][:1]
            raise ValueError(
                f"AuditTrailArgs.keep_days: CloudWatch can't keep logs for {self.keep_days} days; use"
                f" {any_of(map(str, near))}"
            )


class AuditTrail(Component[AuditTrailArgs]):
    """The log group `/hpc/<cluster>/audit`, to which nodes send who logged in, who became root and who changed Slurm,
    and the permission to do so.

    The permission allows to create log streams and to add to them, but neither to read nor to delete them. So whoever
    becomes root on a node can add false records, but can't remove any that were sent.
    """

    log_group_name: Output[str]
    """Name of the log group."""

    def _make(self, name: str, args: AuditTrailArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:aws:AuditTrail", name, {"keepDays": args.keep_days}, opts)
        group = aws.cloudwatch.LogGroup(
            f"{name}-log",
            name=audit_log_group(args.cluster),
            retention_in_days=args.keep_days,
            tags=args.tags.for_resource(f"{name}-log"),
            opts=protected_options(self, opts, retain=args.retain),
        )
        child = pulumi.ResourceOptions(parent=self)
        for key, identity in args.nodes.items():
            if identity.role_name is not None:
                attach_policy(f"{name}-{key}", identity.role_name, (write_log(group.name),), child)
        self.log_group_name = group.name
        self.register_outputs({"logGroupName": self.log_group_name})


def audit_log_group(cluster: str) -> str:
    return f"{node_log_group(cluster)}/audit"
