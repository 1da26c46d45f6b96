"""One role with one inline policy, for every part of a cluster that calls AWS."""

import re
from collections.abc import Iterable

import pulumi
import pulumi_aws as aws

from hpc_components.aws.catalog.limits import service_limit
from hpc_components.aws.components.policies import Statement, policy_document
from hpc_components.aws.tags import Tags
from hpc_components.catalog.autonaming import RANDOM_END

__all__ = ["make_role"]


def make_role(
    name: str,
    *,
    trust: pulumi.Input[str],
    statements: Iterable[Statement],
    tags: Tags,
    permissions_boundary: pulumi.Input[str] | None = None,
    role_path: str = "/",
    opts: pulumi.ResourceOptions,
) -> "tuple[aws.iam.Role, aws.iam.RolePolicy]":
    """A role with the trust policy `trust`, and its inline policy. ValueError where IAM would not take its name.

    What acts through the role should depend on the policy, so that on destroy it goes last.
    """
    _check_name(name)
    role = aws.iam.Role(
        name,
        assume_role_policy=trust,
        path=role_path,
        permissions_boundary=permissions_boundary,
        tags=tags.for_resource(name),
        opts=opts,
    )
    policy = aws.iam.RolePolicy(f"{name}-policy", role=role.name, policy=policy_document(statements), opts=opts)
    return role, policy


def _check_name(name: str) -> None:
    """Source: IAM API reference, CreateRole."""
    most = service_limit("iam.role_name_length") - len(RANDOM_END)
    if bad := re.search(r"[^\w+=,.@-]", name, re.ASCII):
        raise ValueError(
            f"{name!r} can't begin the name of a role: IAM takes no {bad[0]!r}; name the component with letters,"
            " digits and + = , . @ _ -"
        )
    if len(name) > most:
        raise ValueError(
            f"{name!r} can't begin the name of a role: it has {len(name)} characters, and there is room for {most};"
            f" shorten the component's name by {len(name) - most}"
        )
