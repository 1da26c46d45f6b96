from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pulumi
import pulumi_aws as aws

from hpc_components.aws.identity.policies import Statement, trust_document
from hpc_components.aws.identity.roles import attach_policy, make_role
from hpc_components.aws.tags import Tags

LOG_DAYS = 30


def make_function(
    name: str,
    *,
    description: str,
    code: Path,
    timeout_seconds: int,
    statements: Callable[[pulumi.Output[str]], Iterable[Statement]],
    variables: Mapping[str, pulumi.Input[str]] | None = None,
    permissions_boundary: pulumi.Input[str] | None,
    role_path: str,
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> tuple["aws.lambda_.Function", "aws.iam.RolePolicy"]:
    """Make a Lambda function with its log group and role. Return the function and the policy of its role.

    `code` is a file with a function `handler`. `statements` takes the name of the log group, and returns the
    function's permissions. `variables` are environment variables. Whatever invokes the function should depend on the
    policy.
    """
    log_group = aws.cloudwatch.LogGroup(
        f"{name}-log", retention_in_days=LOG_DAYS, tags=tags.for_resource(f"{name}-log"), opts=opts
    )
    role = make_role(
        f"{name}-role",
        trust=trust_document("lambda.amazonaws.com"),
        tags=tags,
        permissions_boundary=permissions_boundary,
        role_path=role_path,
        opts=opts,
    )
    policy = attach_policy(f"{name}-role", role.name, statements(log_group.name), opts)
    function = aws.lambda_.Function(
        f"{name}-function",
        description=description,
        runtime="python3.13",
        architectures=["arm64"],
        handler="handler.handler",
        # Pass the code as text, so that plans show changes to the code rather than to this package's path.
        code=pulumi.AssetArchive({"handler.py": pulumi.StringAsset(code.read_text(encoding="utf-8"))}),
        role=role.arn,
        timeout=timeout_seconds,
        memory_size=256,
        environment=None if variables is None else aws.lambda_.FunctionEnvironmentArgs(variables=variables),
        logging_config=aws.lambda_.FunctionLoggingConfigArgs(log_format="Text", log_group=log_group.name),
        tags=tags.for_resource(f"{name}-function"),
        opts=opts,
    )
    return function, policy
