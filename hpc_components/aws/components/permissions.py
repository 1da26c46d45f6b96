"""What each part of a cluster may do, as statements of IAM policies built by pure functions.

ARNs leave region and account open (`arn:aws:ec2:*:*:...`): a role acts in its own account only, and the text is then
the same in every plan. Resources that can't be named beforehand, because they are made when a job waits, are matched
by their tags.
"""

from collections.abc import Sequence

from pulumi import Input, Output

from hpc_components.aws.components.policies import Conditions, Statement, arn
from hpc_components.aws.ports import ConfigStore, FleetRef


def secret_name(cluster: str, what: str, config: ConfigStore) -> Input[str]:
    """Name of a cluster's secret: `hpc/cfd/munge-<config bucket>`.

    Every node knows its cluster and its bucket, and so where the keys are. A cluster that is made again has another
    bucket, and does not meet the names of secrets that wait for their deletion.
    """
    return _concat(f"hpc/{cluster}/{what}-", config.bucket)


def node_log_group(cluster: str) -> str:
    """Name of the log group that the nodes of a cluster write to."""
    return f"/hpc/{cluster}"


def compute_statements(cluster: str, config: ConfigStore) -> tuple[Statement, ...]:
    """Compute nodes: read the cluster's configuration and its munge key, write logs, be reachable by
    Session Manager. Nothing of EC2."""
    return (
        *_config(config),
        _munge_key(cluster, config),
        _write_log(node_log_group(cluster)),
        session_manager_statements(),
    )


def login_statements(cluster: str, config: ConfigStore, host_keys: Input[str]) -> tuple[Statement, ...]:
    """Login nodes: the same, and agree on the host keys in the secret with the ARN `host_keys`."""
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
    """The head node: launch and terminate the cluster's compute nodes, keep its secrets, read its configuration.

    `secrets` are the ARNs of the secrets that it writes at first boot, `read_secrets` of those that others fill for
    it. `image_parameters` are the paths of SSM parameters in which own images are named (those of AWS and Canonical
    are always readable), `kms_keys` the ARNs of the keys that encrypt the nodes' disks and images, and such secrets.
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
            ("*",),  # EC2 knows no resources for what lists them
        ),
        *_own_secrets(secrets),
        *_given_secrets(read_secrets),
        *_config(config),
        _write_log(node_log_group(cluster)),
        session_manager_statements(),
    )


def reaper_statements(cluster: str, config: ConfigStore, log_group: Input[str]) -> tuple[Statement, ...]:
    """The function that ends the compute nodes when a cluster is destroyed; `log_group` is the name of its log."""
    return (
        _terminate(cluster, config),
        Statement(
            "SeeNodes",
            ("ec2:DescribeInstances", "ec2:DescribeNetworkInterfaces"),
            ("*",),  # EC2 knows no resources for what lists them
        ),
        _write_log(log_group),
    )


def flow_log_statements(log_group: Input[str]) -> tuple[Statement, ...]:
    """The flow log service: find the log group with the name `log_group` and write to it."""
    return (
        Statement("FindLogGroup", ("logs:DescribeLogGroups",), ("*",)),  # CloudWatch knows no resources for it
        Statement("FindLogStreams", ("logs:DescribeLogStreams",), (_concat(_log_arn(log_group), ":*"),)),
        _write_log(log_group),
    )


def session_manager_statements() -> Statement:
    """What the Session Manager agent of a node needs; its API knows no resources of this kind.

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
    """The tags of what is this cluster's, as conditions: by its name alone it might be that of another stack."""
    return {f"aws:{kind}/ClusterName": cluster, f"aws:{kind}/hpc:config": config.bucket}


def _launch(cluster: str, config: ConfigStore) -> tuple[Statement, ...]:
    """Launch from the templates of the cluster's queues only, with the subnets, groups, image and role they name.

    The templates are told by their tags: listed one by one, fifty queues would not fit into a policy. What else a
    launch touches stands beside them because the API asks for all of it together, but has no such tags.
    Source: EC2 user guide, "Control access to launch templates with IAM permissions" (ec2:IsLaunchTemplateResource).
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
    """A launch on spot makes a request too, and the first one of an account the service's own role.

    A request is no part of a template, and without its instance, for which a template is needed, it is nothing.
    Source: EC2 user guide, "Example policies", "Work with Spot Instances".
    """
    role = "role/aws-service-role/spot.amazonaws.com/AWSServiceRoleForEC2Spot"
    only_for = {"StringEquals": {"iam:AWSServiceName": "spot.amazonaws.com"}}
    return (
        Statement("RequestSpot", ("ec2:RunInstances",), (arn("ec2", "spot-instances-request/*"),)),
        Statement("StartUsingSpot", ("iam:CreateServiceLinkedRole",), (arn("iam", role, region=""),), only_for),
    )


def _disk_keys(keys: Sequence[Input[str]]) -> tuple[Statement, ...]:
    """Who launches an instance with disks under an own key needs these on it, and Decrypt is what a secret takes.

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
    """An image given as `resolve:ssm:...` is looked up with the rights of the one who launches."""
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
    """By its name, since roles are made before it; an ARN of a secret ends in six random characters."""
    named = _concat(arn("secretsmanager", "secret:"), secret_name(cluster, "munge", config))
    secret = _concat(named, "-??????")
    return Statement("ReadMungeKey", ("secretsmanager:GetSecretValue",), (secret,))


def _config(config: ConfigStore) -> tuple[Statement, ...]:
    return (
        Statement("ReadConfig", ("s3:GetObject",), (_concat(config.arn, "/*"),)),
        # without it S3 says "forbidden" where it means "not there"
        Statement("ListConfig", ("s3:ListBucket",), (config.arn,)),
    )


def _write_log(log_group: Input[str]) -> Statement:
    actions = ("logs:CreateLogStream", "logs:PutLogEvents")
    return Statement("WriteLog", actions, (_concat(_log_arn(log_group), ":log-stream:*"),))


def _log_arn(log_group: Input[str]) -> Input[str]:
    return _concat(arn("logs", "log-group:"), log_group)


def _concat(start: Input[str], end: Input[str]) -> Input[str]:
    return start + end if isinstance(start, str) and isinstance(end, str) else Output.concat(start, end)
