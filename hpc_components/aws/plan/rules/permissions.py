from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.aws.plan.policy_documents import as_list, statements_in, statements_of
from hpc_components.aws.plan.types import BUCKET
from hpc_components.preview.nested import is_known, is_true, text_at
from hpc_components.preview.resource_finding import ResourceFinding
from hpc_components.preview.resources import Resource
from hpc_components.spec.findings import Level
from hpc_components.spec.plan_rule import resource_rule

_ROLE = "aws:iam/role:Role"
_BLOCKS = (
    "aws:s3/accountPublicAccessBlock:AccountPublicAccessBlock",
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
)
_ACLS = (BUCKET, "aws:s3/bucketAcl:BucketAcl", "aws:s3/bucketAclV2:BucketAclV2", "aws:s3/bucketV2:BucketV2")
_BUCKET_POLICY = "aws:s3/bucketPolicy:BucketPolicy"


@resource_rule("HPC-PLN-007", Level.WARNING)
def closed_buckets(resource: Resource) -> Iterator[ResourceFinding]:
    """S3 buckets should not be public.

    People find public buckets by guessing names, and you pay for every download. Source: Amazon S3 user guide,
    "Blocking public access to your Amazon S3 storage"; AWS Security Hub, S3.1 to S3.3.
    """
    inputs = resource.inputs
    remedy = (
        "grant access to specific roles or accounts; if the bucket is meant to be public, silence this finding "
        "and give the reason"
    )
    if resource.type in _BLOCKS:
        for key in ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"):
            if is_known(inputs, key) and not is_true(inputs, key):
                reason = "policies or ACLs could make the bucket public"
                yield ResourceFinding(
                    resource=resource, path=key, value=inputs.get(key), reason=reason, remedy=f"use {key}: true"
                )
    if resource.type in _ACLS and (text_at(inputs, "acl") or "").startswith("public"):
        yield ResourceFinding(
            resource=resource, path="acl", value=inputs["acl"], reason="anyone can read the bucket", remedy=remedy
        )
    if resource.type == _BUCKET_POLICY and any(map(_lets_everybody, statements_in(inputs))):
        yield ResourceFinding(
            resource=resource, path="policy", reason="the policy grants access to everyone", remedy=remedy
        )


@resource_rule("HPC-PLN-008", Level.ERROR)
def trusted_by_name(resource: Resource) -> Iterator[ResourceFinding]:
    """A role must name the accounts, services or identities that may assume it.

    With `*` and no condition, anyone with an AWS account may assume the role. Source: AWS IAM user guide, "AWS JSON
    policy elements: Principal".
    """
    if resource.type == _ROLE and any(map(_lets_everybody, statements_of(resource.inputs.get("assumeRolePolicy")))):
        yield ResourceFinding(
            resource=resource,
            path="assumeRolePolicy",
            value="*",
            reason="anyone with an AWS account may assume this role",
            remedy="name the service, account or role, or add a Condition",
        )


@resource_rule("HPC-PLN-009", Level.WARNING)
def roles_that_may_be_passed(resource: Resource) -> Iterator[ResourceFinding]:
    """`iam:PassRole` should be limited to specific roles.

    If `iam:PassRole` covers all roles, anyone who may launch a machine can become an administrator by passing the
    account's most powerful role to that machine. Source: AWS IAM user guide, "Grant a user permissions to pass a role
    to an AWS service".
    """
    for statement in statements_in(resource.inputs):
        actions = {str(each).lower() for each in as_list(statement.get("Action", []))}
        passes = statement.get("Effect") == "Allow" and "iam:passrole" in actions
        if passes and "*" in as_list(statement.get("Resource", [])) and not statement.get("Condition"):
            yield ResourceFinding(
                resource=resource,
                path="policy",
                value="iam:PassRole on *",
                reason="anyone with this permission can pass any role in the account to a machine",
                remedy="name the roles, or their path: arn:aws:iam::123456789012:role/my-cluster/*",
            )


def _lets_everybody(statement: Mapping[str, Any]) -> bool:
    principal = statement.get("Principal")
    named = principal.get("AWS") if isinstance(principal, Mapping) else principal
    return statement.get("Effect") == "Allow" and not statement.get("Condition") and "*" in as_list(named)
