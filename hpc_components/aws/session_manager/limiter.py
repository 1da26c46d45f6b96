import json
from pathlib import Path

import pulumi
import pulumi_aws as aws

from hpc_components.aws.identity.policies import trust_document
from hpc_components.aws.identity.roles import attach_policy, make_role
from hpc_components.aws.ports import ConfigStore
from hpc_components.aws.session_manager.permissions import limiter_statements
from hpc_components.aws.tags import Tags

HANDLER = Path(__file__).with_name("handler.py")

SCHEDULE = "rate(5 minutes)"
TIMEOUT_SECONDS = 300
LOG_DAYS = 30


def make_limiter(
    name: str,
    *,
    cluster: str,
    config: ConfigStore,
    role: str,
    document: str,
    limit: int,
    permissions_boundary: pulumi.Input[str] | None,
    role_path: str,
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> None:
    """Make a function that ends sessions with `document` above the limit, and the rule that invokes it."""
    log_group = aws.cloudwatch.LogGroup(
        f"{name}-log", retention_in_days=LOG_DAYS, tags=tags.for_resource(f"{name}-log"), opts=opts
    )
    own_role = make_role(
        f"{name}-role",
        trust=trust_document("lambda.amazonaws.com"),
        tags=tags,
        permissions_boundary=permissions_boundary,
        role_path=role_path,
        opts=opts,
    )
    policy = attach_policy(f"{name}-role", own_role.name, limiter_statements(log_group.name), opts)
    function = aws.lambda_.Function(
        f"{name}-function",
        description="Ends sessions above the limit per user",
        runtime="python3.13",
        architectures=["arm64"],
        handler="handler.handler",
        code=pulumi.AssetArchive({"handler.py": pulumi.StringAsset(HANDLER.read_text(encoding="utf-8"))}),
        role=own_role.arn,
        timeout=TIMEOUT_SECONDS,
        memory_size=256,
        environment=aws.lambda_.FunctionEnvironmentArgs(
            variables={
                "HPC_CLUSTER": cluster,
                "HPC_CONFIG": config.bucket,
                "HPC_ROLE": role,
                "HPC_DOCUMENT": document,
                "HPC_LIMIT": str(limit),
            }
        ),
        logging_config=aws.lambda_.FunctionLoggingConfigArgs(log_format="Text", log_group=log_group.name),
        tags=tags.for_resource(f"{name}-function"),
        opts=opts,
    )
    rule = aws.cloudwatch.EventRule(
        f"{name}-rule",
        description="Someone starts a session, or it is time to look",
        event_pattern=start_pattern(document),
        schedule_expression=SCHEDULE,
        tags=tags.for_resource(f"{name}-rule"),
        opts=opts,
    )
    permission = aws.lambda_.Permission(
        f"{name}-permission",
        action="lambda:InvokeFunction",
        function=function.name,
        principal="events.amazonaws.com",
        source_arn=rule.arn,
        opts=opts,
    )
    aws.cloudwatch.EventTarget(
        f"{name}-target",
        rule=rule.name,
        arn=function.arn,
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[policy, permission])),
    )


def start_pattern(document: str) -> str:
    """Return a pattern for CloudTrail's events about sessions that are started with `document`, or with any document
    that is specified by its ARN.

    Source: Systems Manager user guide, "Monitoring session activity using Amazon EventBridge".
    """
    request = {"documentName": [document, {"prefix": "arn:"}]}
    call = {"eventSource": ["ssm.amazonaws.com"], "eventName": ["StartSession"], "requestParameters": request}
    return json.dumps({"source": ["aws.ssm"], "detail-type": ["AWS API Call via CloudTrail"], "detail": call})
