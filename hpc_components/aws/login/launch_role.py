from collections.abc import Sequence

import pulumi
import pulumi_aws as aws
from pulumi import Input, Output

from hpc_components.aws.catalog.disk_keys import DISK_KEY_OPERATIONS
from hpc_components.aws.ports import ConfigStore
from hpc_components.aws.tags import Tags

SERVICE = "autoscaling.amazonaws.com"

MAX_SUFFIX_LENGTH = 64 - len("AWSServiceRoleForAutoScaling_")
"""Maximum length of the role name's suffix. Source: IAM API reference, CreateServiceLinkedRole: role names have at
most 64 characters."""


def make_launch_role(
    name: str, keys: Sequence[Input[str]], *, config: ConfigStore, tags: Tags, opts: pulumi.ResourceOptions
) -> "tuple[aws.iam.ServiceLinkedRole, list[pulumi.Resource]]":
    """Make an Auto Scaling group's role, and grants that let the role use `keys`. The group must depend on the
    grants.

    Auto Scaling's default role has no access to customer-managed keys. Granting it access would affect all groups in
    the account, and isn't possible before the account has its first group. This group therefore uses a separate role.
    The random suffix of the config bucket's name makes the role's name unique. Source: EC2 Auto Scaling user guide,
    "Service-linked roles".
    """
    role = aws.iam.ServiceLinkedRole(
        f"{name}-launch",
        aws_service_name=SERVICE,
        custom_suffix=Output.from_input(config.bucket).apply(lambda bucket: bucket[-MAX_SUFFIX_LENGTH:]),
        tags=tags.for_resource(f"{name}-launch"),
        opts=opts,
    )
    grants: list[pulumi.Resource] = [
        aws.kms.Grant(
            f"{name}-launch-key-{number}",
            key_id=key,
            grantee_principal=role.arn,
            operations=list(DISK_KEY_OPERATIONS),
            opts=opts,
        )
        for number, key in enumerate(keys, 1)
    ]
    return role, grants
