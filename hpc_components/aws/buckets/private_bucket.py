import pulumi
import pulumi_aws as aws

from hpc_components.aws.catalog.bucket_names import wrong_bucket_name
from hpc_components.aws.tags import Tags
from hpc_components.catalog.autonaming import RANDOM_SUFFIX


def make_private_bucket(
    name: str,
    *,
    bucket_name: str | None = None,
    kms_key: pulumi.Input[str] | None = None,
    versioning: bool,
    force_destroy: bool,
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> tuple[aws.s3.Bucket, aws.s3.BucketVersioning]:
    """Create an encrypted bucket that rejects public access and requests without TLS. Return the bucket and its
    versioning resource. Raise ValueError if S3 would refuse the bucket's name.

    By default, S3 manages the key. `kms_key` is the ARN of a key to use instead.
    If `force_destroy` is true, deleting the bucket also deletes its content. `opts` apply only to the bucket itself.
    The resources for the bucket's settings have the same parent, and are deleted or retained along with the bucket.
    """
    # by default, the provider uses the component's name in lower case, plus a random suffix
    if bucket_name is None and (wrong := wrong_bucket_name(f"{name.lower()}{RANDOM_SUFFIX}")):
        raise ValueError(
            f"a bucket name can't begin with the component's name, {name!r}: {wrong[0]}; rename the component"
        )
    bucket = aws.s3.Bucket(
        name, bucket=bucket_name, force_destroy=force_destroy, tags=tags.for_resource(name), opts=opts
    )
    setting = pulumi.ResourceOptions(parent=opts.parent, deleted_with=bucket)
    closed = aws.s3.BucketPublicAccessBlock(
        f"{name}-public-access",
        bucket=bucket.bucket,
        block_public_acls=True,
        block_public_policy=True,
        ignore_public_acls=True,
        restrict_public_buckets=True,
        opts=setting,
    )
    _encrypt(f"{name}-encryption", bucket, kms_key, setting)
    versions = aws.s3.BucketVersioning(
        f"{name}-versioning",
        bucket=bucket.bucket,
        versioning_configuration=aws.s3.BucketVersioningVersioningConfigurationArgs(
            status="Enabled" if versioning else "Suspended"
        ),
        opts=setting,
    )
    aws.s3.BucketPolicy(
        f"{name}-policy",
        bucket=bucket.bucket,
        policy=pulumi.Output.json_dumps(_tls_only(bucket.arn)),
        # S3 refuses concurrent changes to a bucket's access settings
        opts=pulumi.ResourceOptions.merge(setting, pulumi.ResourceOptions(depends_on=[closed])),
    )
    return bucket, versions


def _encrypt(
    name: str, bucket: aws.s3.Bucket, kms_key: pulumi.Input[str] | None, opts: pulumi.ResourceOptions
) -> None:
    by_default = aws.s3.BucketServerSideEncryptionConfigurationRuleApplyServerSideEncryptionByDefaultArgs(
        sse_algorithm="AES256" if kms_key is None else "aws:kms", kms_master_key_id=kms_key
    )
    rule = aws.s3.BucketServerSideEncryptionConfigurationRuleArgs(
        apply_server_side_encryption_by_default=by_default,
        # one request to KMS serves many objects
        bucket_key_enabled=None if kms_key is None else True,
    )
    aws.s3.BucketServerSideEncryptionConfiguration(name, bucket=bucket.bucket, rules=[rule], opts=opts)


def _tls_only(arn: pulumi.Output[str]) -> dict[str, object]:
    refusal = {
        "Sid": "TlsOnly",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [arn, pulumi.Output.concat(arn, "/*")],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    return {"Version": "2012-10-17", "Statement": [refusal]}
