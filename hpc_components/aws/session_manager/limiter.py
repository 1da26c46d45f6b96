import json
from pathlib import Path

import pulumi
import pulumi_aws as aws

from hpc_components.aws.components.function import make_function
from hpc_components.aws.ports import ConfigStore
from hpc_components.aws.session_manager.permissions import limiter_statements
from hpc_components.aws.tags import Tags

HANDLER = Path(__file__).with_name("handler.py")

SCHEDULE = "rate(5 minutes)"
TIMEOUT_SECONDS = 300


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
    function, policy = make_function(
        name,
        description="Ends sessions above the limit per user",
        code=HANDLER,
        timeout_seconds=TIMEOUT_SECONDS,
        statements=limiter_statements,
        variables={
            "HPC_CLUSTER": cluster,
            "HPC_CONFIG": config.bucket,
            "HPC_ROLE": role,
            "HPC_DOCUMENT": document,
            "HPC_LIMIT": str(limit),
        },
        permissions_boundary=permissions_boundary,
        role_path=role_path,
        tags=tags,
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
