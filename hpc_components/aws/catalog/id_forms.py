import re

from hpc_components.aws.catalog.arns import read_arn
from hpc_components.catalog.id_forms import IdForm, IdForms


def _resource(prefix: str, title: str) -> IdForm:
    """Return the format of an id that consists of a prefix and 8 or 17 hexadecimal digits.

    Source: EC2 user guide, "Resource IDs".
    """
    pattern = re.compile(rf"{prefix}-([0-9a-f]{{8}}|[0-9a-f]{{17}})")
    return IdForm(
        title=f"the id of {title}",
        example=f"{prefix}-0123456789abcdef0",
        matches=lambda text: pattern.fullmatch(text) is not None,
    )


def _arn(title: str, example: str, *beginnings: tuple[str, str]) -> IdForm:
    """Return the format of an ARN. Each item of `beginnings` is (service, prefix of the resource part).

    Source: Service Authorization Reference, "Resource types" of each service.
    """

    def matches(text: str) -> bool:
        arn = read_arn(text)
        return arn is not None and any(
            arn.service == service and arn.resource.startswith(resource) for service, resource in beginnings
        )

    return IdForm(title=f"the ARN of {title}", example=example, matches=matches)


def _name(title: str, example: str) -> IdForm:
    return IdForm(title=f"the name of {title}", example=example)


_ACCOUNT = "123456789012"
_FORMS = {
    "vpc": _resource("vpc", "a VPC"),
    "subnet": _resource("subnet", "a subnet"),
    "security_group": _resource("sg", "a security group"),
    "route_table": _resource("rtb", "a route table"),
    "launch_template": _resource("lt", "a launch template"),
    "image": _resource("ami", "an image"),
    "reservation": _resource("cr", "a capacity reservation"),
    "placement_group": _resource("pg", "a placement group"),
    "instance": _resource("i", "an instance"),
    "file_system": _resource("fs", "a file system"),
    "kms_key": _arn("a key", f"arn:aws:kms:us-east-2:{_ACCOUNT}:key/<id>", ("kms", "key/"), ("kms", "alias/")),
    "role": _arn("a role", f"arn:aws:iam::{_ACCOUNT}:role/<name>", ("iam", "role/")),
    "policy": _arn("a policy", f"arn:aws:iam::{_ACCOUNT}:policy/<name>", ("iam", "policy/")),
    "instance_profile": _arn(
        "an instance profile", f"arn:aws:iam::{_ACCOUNT}:instance-profile/<name>", ("iam", "instance-profile/")
    ),
    "secret": _arn(
        "a secret", f"arn:aws:secretsmanager:us-east-2:{_ACCOUNT}:secret:<name>", ("secretsmanager", "secret:")
    ),
    "metrics_workspace": _arn(
        "a workspace of metrics", f"arn:aws:aps:us-east-2:{_ACCOUNT}:workspace/ws-<id>", ("aps", "workspace/")
    ),
    "bucket_arn": _arn("a bucket", "arn:aws:s3:::<bucket>", ("s3", ""), ("s3express", "")),
    "bucket_url": IdForm(
        title="the URL of a bucket", example="s3://<bucket>", matches=lambda text: text.startswith("s3://")
    ),
    "bucket_name": _name("a bucket", "my-hpc-data"),
    "role_name": _name("a role", "my-nodes"),
    "instance_profile_name": _name("an instance profile", "my-nodes"),
    "key_pair_name": _name("a key pair", "my-key"),
    "placement_group_name": _name("a placement group", "my-group"),
    "function_name": _name("a function", "my-function"),
}

_FIELDS = {
    "BakedImageArgs.instance_profile": "instance_profile_name",
    "BucketRef.arns": "bucket_arn",
    "BucketRef.buckets": "bucket_name",
    "ClusterBudgetArgs.permissions_boundary": "policy",
    "ConfigStore.arn": "bucket_arn",
    "ConfigStore.bucket": "bucket_name",
    "DataBucketArgs.bucket_name": "bucket_name",
    "DataBucketArgs.kms_key": "kms_key",
    "DataIdentityArgs.lent_by": "role",
    "DataIdentityArgs.permissions_boundary": "policy",
    "EfaComputeFleetArgs.image": "image",
    "EfaComputeFleetArgs.placement_group": "placement_group_name",
    "EfaComputeFleetArgs.reservation_id": "reservation",
    "FleetRef.launch_templates": "launch_template",
    "HomeFilesystemArgs.kms_key": "kms_key",
    "HomeFilesystemArgs.route_table_ids": "route_table",
    "HomeFilesystemArgs.security_group_ids": "security_group",
    "HomeFilesystemArgs.subnets": "subnet",
    "ImageBuilderArgs.permissions_boundary": "policy",
    "ImageRetentionArgs.function_name": "function_name",
    "Identity.instance_profile": "instance_profile_name",
    "Identity.launch_denial": "policy",
    "Identity.role_arn": "role",
    "Identity.role_name": "role_name",
    "LoginNodeNLBArgs.image": "image",
    "LoginNodeNLBArgs.key_pair": "key_pair_name",
    "LoginNodeNLBArgs.kms_keys": "kms_key",
    "LustreAssociation.bucket": "bucket_url",
    "LustreFilesystemArgs.kms_key": "kms_key",
    "LustreFilesystemArgs.security_group_ids": "security_group",
    "LustreFilesystemArgs.subnet_id": "subnet",
    "MetricsWorkspaceArgs.workspace": "metrics_workspace",
    "Network.id": "vpc",
    "Network.private_subnets": "subnet",
    "Network.public_subnets": "subnet",
    "Network.route_tables": "route_table",
    "NodeIdentityArgs.permissions_boundary": "policy",
    "NodeReaperArgs.permissions_boundary": "policy",
    "OrganizationArgs.external_role": "role",
    "OrganizationArgs.lent_by": "role",
    "OrganizationArgs.permissions_boundary": "policy",
    "RootDisk.kms_key": "kms_key",
    "SecurityGroupIds.compute": "security_group",
    "SecurityGroupIds.head": "security_group",
    "SecurityGroupIds.login": "security_group",
    "SecurityGroupIds.storage": "security_group",
    "SecurityGroupsArgs.vpc_id": "vpc",
    "SessionManagerArgs.kms_key": "kms_key",
    "SessionManagerArgs.permissions_boundary": "policy",
    "SlurmHeadNodeArgs.image": "image",
    "SlurmHeadNodeArgs.key_pair": "key_pair_name",
    "SlurmHeadNodeArgs.kms_keys": "kms_key",
    "SlurmHeadNodeArgs.read_secrets": "secret",
    "SlurmHeadNodeArgs.security_group_ids": "security_group",
    "SlurmHeadNodeArgs.subnet_id": "subnet",
    "StateDisk.kms_key": "kms_key",
    "VpcArgs.permissions_boundary": "policy",
}

ID_FORMS = IdForms(forms=_FORMS, fields={field: (kind,) for field, kind in _FIELDS.items()})
