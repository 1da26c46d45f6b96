"""One role with one inline policy, for every part of a cluster that calls AWS."""

from collections.abc import Iterable

import pulumi
import pulumi_aws as aws

from hpc_components.aws.components.policies import Statement, policy_document
from hpc_components.aws.tags import Tags

__all__ = ["make_role"]


def make_role(
    name: str,
    *,
    trust: pulumi.Input[str],
    statements: Iterable[Statement],
    tags: Tags,
    permissions_boundary: str | None = None,
    role_path: str = "/",
    opts: pulumi.ResourceOptions,
) -> "tuple[aws.iam.Role, aws.iam.RolePolicy]":
    """A role with the trust policy `trust`, and its inline policy.

    What acts through the role should depend on the policy, so that on destroy it goes last.
    """
    role = aws.iam.Role(
        name,
        assume_role_policy=trust,
        path=role_path,
        permissions_boundary=permissions_boundary,
        tags=tags.of(name),
        opts=opts,
    )
    policy = aws.iam.RolePolicy(f"{name}-policy", role=role.name, policy=policy_document(statements), opts=opts)
    return role, policy
