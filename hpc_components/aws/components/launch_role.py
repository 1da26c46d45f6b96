"""The role by which Auto Scaling launches nodes whose disks are under keys of the user's own."""

from collections.abc import Sequence

import pulumi
import pulumi_aws as aws
from pulumi import Input, Output

from hpc_components.aws.catalog.disk_keys import DISK_KEY_OPERATIONS
from hpc_components.aws.ports import ConfigStore
from hpc_components.aws.tags import Tags

SERVICE = "autoscaling.amazonaws.com"

LONGEST_SUFFIX = 64 - len("AWSServiceRoleForAutoScaling_")
"""Source: IAM API reference, CreateServiceLinkedRole: the role's name has 64 characters at most."""


def make_launch_role(
    name: str, keys: Sequence[Input[str]], *, config: ConfigStore, tags: Tags, opts: pulumi.ResourceOptions
) -> "tuple[aws.iam.ServiceLinkedRole, list[pulumi.Resource]]":
    """A role for one group, and the grants that let it use `keys`, after which the group is to be made.

    Auto Scaling's usual role has no use of a customer's keys. A grant to it would hold for all groups of the account,
    and can't be made before the account has its first group; so this group gets a role of its own. The end of the
    config bucket's name, which is random, tells it from those of other clusters. Source: EC2 Auto Scaling user guide,
    "Service-linked roles".
    """
    role = aws.iam.ServiceLinkedRole(
        f"{name}-launch",
        aws_service_name=SERVICE,
        custom_suffix=Output.from_input(config.bucket).apply(lambda bucket: bucket[-LONGEST_SUFFIX:]),
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
