"""Pure functions that return the permissions for each part of a cluster as IAM policy statements.

ARNs don't specify the region and account (`arn:aws:ec2:*:*:...`): a role can act only in its own account anyway, and
the statements stay the same in every plan. Resources that are created on demand can't be named in advance, so they
are identified by tags.
"""

from collections.abc import Sequence

from pulumi import Input, Output

from hpc_components.aws.identity.policies import Conditions, Statement, arn
from hpc_components.aws.ports import ConfigStore, FleetRef
from hpc_components.boot.manifest import PUBLISHED


def secret_name(cluster: str, what: str, config: ConfigStore) -> Input[str]:
    """Return the name of a cluster's secret, such as `hpc/cfd/munge-<config bucket>`.

    Nodes know their cluster and bucket, so they can derive the name. A cluster that is created again has a different
    bucket, so the names of its secrets don't collide with secrets whose deletion is pending.
    """
    return _concat(f"hpc/{cluster}/{what}-", config.bucket)


def node_log_group(cluster: str) -> str:
    return f"/hpc/{cluster}"


def compute_statements(cluster: str, config: ConfigStore) -> tuple[Statement, ...]:
    """Return the permissions of compute nodes, which include no EC2 permissions."""
    return (
        *_config(config),
        _munge_key(cluster, config),
        write_log(node_log_group(cluster)),
        session_manager_statements(),
    )


def login_statements(cluster: str, config: ConfigStore, host_keys: Input[str]) -> tuple[Statement, ...]:
    """Return the permissions of login nodes: those of compute nodes, plus access to the host keys that login nodes
    share in the secret `host_keys` (an ARN).
    """
    actions = ("secretsmanager:GetSecretValue", "secretsmanager:PutSecretValue")
    return (*compute_statements(cluster, config), Statement("ShareHostKeys", actions, (host_keys,)))


def head_statements(
    *,
    cluster: str,
    config: ConfigStore,
    fleets: Sequence[FleetRef],
    secrets: Sequence[Input[str]],
    read_secrets: Sequence[Input[str]] = (),
    image_parameters: Sequence[str] = (),
    kms_keys: Sequence[Input[str]] = (),
) -> tuple[Statement, ...]:
    """Return the permissions of the head node: launch and terminate compute nodes, store secrets, read the
    configuration, publish files if `config` says so.

    `secrets` are the ARNs of secrets that the node writes at first boot, and `read_secrets` the ARNs of existing
    secrets that it reads. `image_parameters` are the paths of SSM parameters that contain the ids of custom images
    (the parameters of AWS and Canonical are always readable). `kms_keys` are the ARNs of the keys that encrypt the
    nodes' disks, the images and the existing secrets.
    """
    return (
        *(_launch(cluster, config) if fleets else ()),
        *_pass_roles([fleet.identities.own.in_policies for fleet in fleets]),
        *(_spot() if any(fleet.purchase == "spot" for fleet in fleets) else ()),
        *_disk_keys(kms_keys),
        _images(image_parameters),
        _terminate(cluster, config),
        Statement(
            "SeeNodes",
            (
                "ec2:DescribeCapacityReservations",
                "ec2:DescribeInstances",
                "ec2:DescribeInstanceStatus",
                "ec2:DescribeLaunchTemplates",
            ),
            ("*",),  # EC2 has no resource-level permissions for Describe actions
        ),
        *_own_secrets(secrets),
        *_given_secrets(read_secrets),
        *_config(config),
        *_publish(config),
        write_log(node_log_group(cluster)),
        session_manager_statements(),
    )


def no_launches() -> Statement:
    """Return the denial of all launches. Every launch requires permission on the instance."""
    return Statement("BudgetIsSpent", ("ec2:RunInstances",), (arn("ec2", "instance/*"),), effect="Deny")


def budget_action_statements(policy: Input[str], role: Input[str]) -> tuple[Statement, ...]:
    """Return the permissions of AWS Budgets: attach one policy to one role, and detach it.

    Source: Cost Management user guide, "Allow AWS Budgets to apply IAM policies and SCPs"; IAM user guide,
    iam:PolicyARN.
    """
    only_this: Conditions = {"ArnEquals": {"iam:PolicyARN": policy}}
    return (Statement("StopLaunches", ("iam:AttachRolePolicy", "iam:DetachRolePolicy"), (role,), only_this),)


def reaper_statements(cluster: str, config: ConfigStore, log_group: Input[str]) -> tuple[Statement, ...]:
    return (
        _terminate(cluster, config),
        Statement(
            "SeeNodes",
            ("ec2:DescribeInstances", "ec2:DescribeNetworkInterfaces"),
            ("*",),  # EC2 has no resource-level permissions for Describe actions
        ),
        write_log(log_group),
    )


def log_writer_statements(log_group: Input[str]) -> tuple[Statement, ...]:
    """Return the permissions to find the log group named `log_group` and to write to it, as VPC flow logs and Session
    Manager's agent do.
    """
    return (
        Statement(
            "FindLogGroup", ("logs:DescribeLogGroups",), ("*",)
        ),  # CloudWatch has no resource-level permissions for this action
        Statement("FindLogStreams", ("logs:DescribeLogStreams",), (_concat(_log_arn(log_group), ":*"),)),
        write_log(log_group),
    )


def session_manager_statements() -> Statement:
    """Return the permissions of a node's Session Manager agent, whose API has no resource-level permissions.

    Source: Systems Manager user guide, "Create a custom IAM role for Session Manager", minimal permissions, read
    2026-11-24.
    """
    return Statement(
        "SessionManager",
        (
            "ssm:UpdateInstanceInformation",
            "ssmmessages:CreateControlChannel",
            "ssmmessages:CreateDataChannel",
            "ssmmessages:OpenControlChannel",
            "ssmmessages:OpenDataChannel",
        ),
        ("*",),
    )


def _of_cluster(kind: str, cluster: str, config: ConfigStore) -> dict[str, Input[str]]:
    """Return conditions on the cluster's tags. The bucket tag excludes clusters with the same name in other
    stacks.
    """
    return {f"aws:{kind}/ClusterName": cluster, f"aws:{kind}/hpc:config": config.bucket}


def _launch(cluster: str, config: ConfigStore) -> tuple[Statement, ...]:
    """Return statements that allow launches only from the launch templates of the cluster's queues.

    The templates are identified by tags, because the ARNs of fifty queues' templates don't fit in a policy. A launch
    also needs permissions on subnets, security groups and images, which don't have these tags. A second statement
    therefore allows resources that the template specifies. Source: EC2 user guide, "Control access to launch
    templates with IAM permissions" (ec2:IsLaunchTemplateResource).
    """
    of_queue: Conditions = {
        "StringEquals": _of_cluster("ResourceTag", cluster, config),
        "StringLike": {"aws:ResourceTag/hpc:queue": "?*"},
    }
    made = tuple(arn("ec2", f"{kind}/*") for kind in ("instance", "volume", "network-interface"))
    named = tuple(
        arn("ec2", f"{kind}/*") for kind in ("subnet", "security-group", "placement-group", "capacity-reservation")
    )
    image = arn("ec2", "image/*", account="")
    template = arn("ec2", "launch-template/*")
    at_launch = {"ec2:CreateAction": "RunInstances", **_of_cluster("RequestTag", cluster, config)}
    return (
        Statement(
            "UseTemplates",
            ("ec2:RunInstances",),
            (template, *made, *named, image),
            of_queue,
        ),
        Statement(
            "LaunchNodes",
            ("ec2:RunInstances",),
            (*made, *named, image),
            {"Bool": {"ec2:IsLaunchTemplateResource": "true"}},
        ),
        Statement("TagNodesAtLaunch", ("ec2:CreateTags",), made, {"StringEquals": at_launch}),
    )


def _terminate(cluster: str, config: ConfigStore) -> Statement:
    return Statement(
        "TerminateNodes",
        ("ec2:TerminateInstances",),
        (arn("ec2", "instance/*"),),
        {"StringEquals": {**_of_cluster("ResourceTag", cluster, config), "aws:ResourceTag/hpc:role": "compute"}},
    )


def _pass_roles(roles: Sequence[Input[str]]) -> tuple[Statement, ...]:
    if not roles:
        return ()
    only_to = {"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}}
    return (Statement("GiveNodesTheirRole", ("iam:PassRole",), tuple(dict.fromkeys(roles)), only_to),)


def _spot() -> tuple[Statement, ...]:
    """Return the permissions for spot launches: a spot request, the current prices and, for the first spot launch in
    an account, a service-linked role.

    A spot request is not covered by a template. It is harmless on its own, because launching an instance requires a
    template. Source: EC2 user guide, "Example policies", "Work with Spot Instances".
    """
    role = "role/aws-service-role/spot.amazonaws.com/AWSServiceRoleForEC2Spot"
    only_for = {"StringEquals": {"iam:AWSServiceName": "spot.amazonaws.com"}}
    return (
        Statement("RequestSpot", ("ec2:RunInstances",), (arn("ec2", "spot-instances-request/*"),)),
        Statement("SeeSpotPrices", ("ec2:DescribeSpotPriceHistory",), ("*",)),  # has no resource-level permissions
        Statement("StartUsingSpot", ("iam:CreateServiceLinkedRole",), (arn("iam", role, region=""),), only_for),
    )


def _disk_keys(keys: Sequence[Input[str]]) -> tuple[Statement, ...]:
    """Return the permissions to launch nodes whose disks are encrypted with customer-managed keys. The included
    kms:Decrypt is enough to read encrypted secrets.

    Source: EBS user guide, "Requirements for Amazon EBS encryption", "Permissions for users".
    """
    if not keys:
        return ()
    read = ("kms:Decrypt", "kms:DescribeKey")
    write = ("kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncryptFrom", "kms:ReEncryptTo")
    for_aws = {"Bool": {"kms:GrantIsForAWSResource": "true"}}
    return (
        Statement("UseDiskKeys", (*read, *write), tuple(keys)),
        Statement("GrantDiskKeys", ("kms:CreateGrant",), tuple(keys), for_aws),
    )


def _images(parameters: Sequence[str]) -> Statement:
    """Return the permission to resolve `resolve:ssm:...` images. EC2 resolves them with the permissions of the role
    that launches the machine.
    """
    paths = ("/aws/service/*", *parameters)
    return Statement("FindImages", ("ssm:GetParameters",), [arn("ssm", f"parameter{path}") for path in paths])


def _own_secrets(secrets: Sequence[Input[str]]) -> tuple[Statement, ...]:
    if not secrets:
        return ()
    actions = ("secretsmanager:GetSecretValue", "secretsmanager:PutSecretValue")
    return (Statement("KeepSecrets", actions, tuple(secrets)),)


def _given_secrets(secrets: Sequence[Input[str]]) -> tuple[Statement, ...]:
    if not secrets:
        return ()
    return (Statement("ReadSecrets", ("secretsmanager:GetSecretValue",), tuple(secrets)),)


def _munge_key(cluster: str, config: ConfigStore) -> Statement:
    """Return the permission to read the munge key. The statement refers to the secret by name, because the role is
    created before the secret. The wildcard matches the six random characters at the end of a secret's ARN.
    """
    named = _concat(arn("secretsmanager", "secret:"), secret_name(cluster, "munge", config))
    secret = _concat(named, "-??????")
    return Statement("ReadMungeKey", ("secretsmanager:GetSecretValue",), (secret,))


def _config(config: ConfigStore) -> tuple[Statement, ...]:
    return (
        Statement("ReadConfig", ("s3:GetObject",), (_concat(config.arn, "/*"),)),
        # without this permission, S3 returns 403 instead of 404 for missing objects
        Statement("ListConfig", ("s3:ListBucket",), (config.arn,)),
    )


def _publish(config: ConfigStore) -> tuple[Statement, ...]:
    """Return the permission to publish files for all nodes, which read them with the permissions of `_config`.

    Source: S3 user guide, "Required permissions for Amazon S3 API operations", PutObject, read 2026-11-25.
    """
    if not config.publishes:
        return ()
    return (Statement("PublishFiles", ("s3:PutObject",), (_concat(config.arn, f"/{PUBLISHED}*"),)),)


def write_log(log_group: Input[str]) -> Statement:
    actions = ("logs:CreateLogStream", "logs:PutLogEvents")
    return Statement("WriteLog", actions, (_concat(_log_arn(log_group), ":log-stream:*"),))


def _log_arn(log_group: Input[str]) -> Input[str]:
    return _concat(arn("logs", "log-group:"), log_group)


def _concat(start: Input[str], end: Input[str]) -> Input[str]:
    return start + end if isinstance(start, str) and isinstance(end, str) else Output.concat(start, end)
