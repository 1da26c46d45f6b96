from collections.abc import Iterator, Sequence

from pulumi import Input, Output

from hpc_components.aws.identity.permissions import session_manager_statements, write_log
from hpc_components.aws.identity.policies import Conditions, Statement, arn
from hpc_components.aws.ports import ConfigStore

_MADE_BY_BUILDER = {"aws:ResourceTag/CreatedBy": "EC2 Image Builder"}
"""Tag of the AMIs and snapshots that Image Builder makes. Source: AWS managed policy
EC2ImageBuilderLifecycleExecutionPolicy."""


def builder_statements(config: ConfigStore, reads: Sequence[str] = ()) -> tuple[Statement, ...]:
    """Return the permissions of the machines that make and test images.

    They are those of the managed policies EC2InstanceProfileForImageBuilder and AmazonSSMManagedInstanceCore, which
    Image Builder's user guide asks for, without the right to read the account's parameters. Source: EC2 Image Builder
    user guide, "Prerequisites" and "VPC interface endpoints", Custom policies for S3 bucket access; Systems Manager
    user guide, "ec2messages, ssmmessages, and other API operations".
    """
    bundles = Output.concat(config.arn, "/images/*")
    return (
        Statement("ReadBundles", ("s3:GetObject",), (bundles,)),
        *_read(reads),
        Statement("FetchTools", ("s3:GetObject",), ("arn:aws:s3:::ec2imagebuilder*/*",)),
        Statement("ReadComponent", ("imagebuilder:GetComponent",), (arn("imagebuilder", "component/*"),)),
        Statement("DecryptComponent", ("kms:Decrypt",), (arn("kms", "key/*"),), _OF_COMPONENT),
        Statement(
            "LogBuild",
            ("logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"),
            (arn("logs", "log-group:/aws/imagebuilder/*"),),
        ),
        session_manager_statements(),
        Statement(
            "TakeCommands",
            (
                "ec2messages:AcknowledgeMessage",
                "ec2messages:DeleteMessage",
                "ec2messages:FailMessage",
                "ec2messages:GetEndpoint",
                "ec2messages:GetMessages",
                "ec2messages:SendReply",
            ),
            ("*",),  # Systems Manager has no resource-level permissions for these actions
        ),
    )


def _read(reads: Sequence[str]) -> Iterator[Statement]:
    """Yield the permissions to read these objects and folders of buckets (`bucket/key`, `bucket/prefix/*`)."""
    if reads:
        yield Statement("ReadPackages", ("s3:GetObject",), [f"arn:aws:s3:::{each}" for each in reads])
    folders = [each.removesuffix("*") for each in reads if each.endswith("/*")]
    for number, (bucket, _, prefix) in enumerate(folder.partition("/") for folder in folders):
        below: Conditions = {"StringEquals": {"s3:prefix": prefix}} if prefix else {}
        yield Statement(f"ListPackages{number or ''}", ("s3:ListBucket",), (f"arn:aws:s3:::{bucket}",), below)


_OF_COMPONENT: Conditions = {
    "ForAnyValue:StringEquals": {
        "kms:EncryptionContextKeys": "aws:imagebuilder:arn",
        "aws:CalledVia": ["imagebuilder.amazonaws.com"],
    }
}
"""The key that encrypts components is Image Builder's own, so it can't be named."""


def keeper_statements(cluster: str, config: ConfigStore, log_group: Input[str]) -> tuple[Statement, ...]:
    """Return the permissions of the function that removes images: to see which images nodes are launched from, and to
    remove those of this cluster."""
    ours: Conditions = {
        "StringEquals": {
            **_MADE_BY_BUILDER,
            "aws:ResourceTag/ClusterName": cluster,
            "aws:ResourceTag/hpc:config": config.bucket,
        }
    }
    return (
        Statement(
            "SeeImages",
            ("ec2:DescribeImages", "ec2:DescribeLaunchTemplates", "ec2:DescribeLaunchTemplateVersions"),
            ("*",),  # EC2 has no resource-level permissions for Describe actions
        ),
        Statement("RemoveImages", ("ec2:DeregisterImage",), (arn("ec2", "image/*", account=""),), ours),
        # the tags of a snapshot are Image Builder's own
        Statement(
            "RemoveSnapshots",
            ("ec2:DeleteSnapshot",),
            (arn("ec2", "snapshot/*", account=""),),
            {"StringEquals": _MADE_BY_BUILDER},
        ),
        write_log(log_group),
    )
