import pulumi
import pulumi_aws as aws

from hpc_components.aws.catalog.network_limits import log_retention_days
from hpc_components.aws.identity.permissions import log_writer_statements
from hpc_components.aws.identity.policies import trust_document
from hpc_components.aws.identity.roles import attach_policy, make_role
from hpc_components.aws.tags import Tags

RETENTION_DAYS = log_retention_days()


def make_flow_logs(
    name: str,
    *,
    vpc: "aws.ec2.Vpc",
    days: int,
    permissions_boundary: pulumi.Input[str] | None,
    role_path: str,
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> None:
    """Log the accepted and rejected connections in `vpc` to CloudWatch, and keep the logs for `days` days."""
    group = aws.cloudwatch.LogGroup(
        f"{name}-flow", retention_in_days=days, tags=tags.for_resource(f"{name}-flow"), opts=opts
    )
    role = make_role(
        f"{name}-flow-role",
        trust=trust_document("vpc-flow-logs.amazonaws.com"),
        tags=tags,
        permissions_boundary=permissions_boundary,
        role_path=role_path,
        opts=opts,
    )
    policy = attach_policy(f"{name}-flow-role", role.name, log_writer_statements(group.name), opts)
    aws.ec2.FlowLog(
        f"{name}-flow-log",
        vpc_id=vpc.id,
        traffic_type="ALL",
        log_destination=group.arn,
        iam_role_arn=role.arn,
        tags=tags.for_resource(f"{name}-flow-log"),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[policy])),
    )
