import re
from collections.abc import Iterable, Sequence

import pulumi
import pulumi_aws as aws

from hpc_components.aws.catalog.limits import service_limit
from hpc_components.aws.identity.policies import Statement, policy_document
from hpc_components.aws.ports import Identities
from hpc_components.aws.tags import Tags
from hpc_components.catalog.autonaming import RANDOM_SUFFIX


def make_role(
    name: str,
    *,
    trust: pulumi.Input[str],
    tags: Tags,
    permissions_boundary: pulumi.Input[str] | None = None,
    role_path: str = "/",
    others_attach: bool = False,
    opts: pulumi.ResourceOptions,
) -> "aws.iam.Role":
    """Make a role with the trust policy `trust`. Raise ValueError if IAM would refuse the role's name.

    `others_attach` specifies whether AWS may have attached a policy by the time the role is deleted.
    """
    _check_name(name)
    return aws.iam.Role(
        name,
        assume_role_policy=trust,
        path=role_path,
        permissions_boundary=permissions_boundary,
        force_detach_policies=others_attach or None,
        tags=tags.for_resource(name),
        opts=opts,
    )


def attach_policy(
    of: str, role_name: pulumi.Input[str], statements: Iterable[Statement], opts: pulumi.ResourceOptions
) -> "aws.iam.RolePolicy":
    """Attach an inline policy to a role. `of` is the role's name in the program.

    Resources that use the role should depend on the policy, so that they are destroyed before the policy is.
    """
    return aws.iam.RolePolicy(f"{of}-policy", role=role_name, policy=policy_document(statements), opts=opts)


def grant(
    of: str, identities: Identities, statements: Iterable[Statement], opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Attach a policy to `identities.own`, the role of the machines that component `of` creates. Do nothing if the
    user supplied that role.

    If the machines lend other roles, the policy also allows them to assume these roles.
    """
    own, lent = identities.own, identities.lent
    if own.role_name is None:
        return []
    lends = [] if lent is None else [_lend("LendDataRole", [lent.in_policies])]
    lends += [_lend("LendOrganizationRoles", identities.organizations)] if identities.organizations else []
    return [attach_policy(f"{of}-role", own.role_name, [*statements, *lends], opts)]


def _lend(sid: str, roles: Sequence[pulumi.Input[str]]) -> Statement:
    """Return a statement that allows nodes to assume the roles that they lend, provided that the roles are in their
    own account.
    """
    own_account = {"StringEquals": {"aws:ResourceAccount": "${aws:PrincipalAccount}"}}
    return Statement(sid, ("sts:AssumeRole",), roles, own_account)


def _check_name(name: str) -> None:
    """Raise ValueError if `name` is not a valid prefix for role names. Source: IAM API reference, CreateRole."""
    most = service_limit("iam.role_name_length") - len(RANDOM_SUFFIX)
    if bad := re.search(r"[^\w+=,.@-]", name, re.ASCII):
        raise ValueError(
            f"a role name can't begin with {name!r}, because it contains {bad[0]!r}; use only letters, digits "
            "and + = , . @ _ - in the component's name"
        )
    if len(name) > most:
        raise ValueError(
            f"a role name can't begin with {name!r}, because it has {len(name)} characters and the maximum is "
            f"{most}; shorten the component's name by {len(name) - most}"
        )
