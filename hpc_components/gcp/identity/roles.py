"""Role bindings for service accounts, custom roles, and conditions on names.

Each binding adds one member to one role on one resource (`IAMMember`), so that other bindings are not affected.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pulumi
import pulumi_gcp as gcp
from pulumi import Input, Output

from hpc_components.gcp.catalog.accounts import role_id
from hpc_components.gcp.ports import Identity

On = Literal["project", "bucket", "secret", "service_account", "subnet"]


@dataclass(frozen=True, kw_only=True)
class Condition:
    title: str
    expression: str
    """The condition in the Common Expression Language. Source: IAM documentation, "Conditions attribute
    reference"."""


@dataclass(frozen=True, kw_only=True)
class Grant:
    name: str
    """Suffix of the binding's name in the program, e.g. `reads-config`."""
    role: Input[str]
    """Name of a custom or predefined role, e.g. `roles/storage.objectViewer`."""
    on: On
    resource: Input[str]
    """Id of the project, secret or subnet, name of the bucket, or full name of the service account
    (`projects/<project>/serviceAccounts/<email>`)."""
    condition: Condition | None = None


def grant(
    of: str, identity: Identity, grants: Sequence[Grant], opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Bind roles to the service account of component `of`, unless the account is the user's own."""
    if not identity.is_ours:
        return []
    member = Output.concat("serviceAccount:", identity.email)
    return [_bind(f"{of}-{each.name}", each, member, opts) for each in grants]


def _bind(name: str, each: Grant, member: Input[str], opts: pulumi.ResourceOptions) -> pulumi.Resource:
    when, role = each.condition, each.role
    match each.on:
        case "project":
            condition = gcp.projects.IAMMemberConditionArgs(**_said(when)) if when else None
            return gcp.projects.IAMMember(
                name, project=each.resource, role=role, member=member, condition=condition, opts=opts
            )
        case "bucket":
            condition = gcp.storage.BucketIAMMemberConditionArgs(**_said(when)) if when else None
            return gcp.storage.BucketIAMMember(
                name, bucket=each.resource, role=role, member=member, condition=condition, opts=opts
            )
        case "secret":
            condition = gcp.secretmanager.SecretIamMemberConditionArgs(**_said(when)) if when else None
            return gcp.secretmanager.SecretIamMember(
                name, secret_id=each.resource, role=role, member=member, condition=condition, opts=opts
            )
        case "service_account":
            condition = gcp.serviceaccount.IAMMemberConditionArgs(**_said(when)) if when else None
            return gcp.serviceaccount.IAMMember(
                name, service_account_id=each.resource, role=role, member=member, condition=condition, opts=opts
            )
        case "subnet":
            condition = gcp.compute.SubnetworkIAMMemberConditionArgs(**_said(when)) if when else None
            return gcp.compute.SubnetworkIAMMember(
                name, subnetwork=each.resource, role=role, member=member, condition=condition, opts=opts
            )


def _said(when: Condition) -> dict[str, str]:
    return {"title": when.title, "expression": when.expression}


def names_that_begin_with(prefix: str, *kinds: str) -> Condition:
    """Return a condition that limits a role to names with this prefix, for resource types such as `Instance` or
    `Disk`.

    For resource types that are not in `kinds`, the role applies to all names. Source: IAM documentation, "Configure
    resource-based access": `resource.type` and `resource.name` of Compute Engine's resources.
    """
    others = " && ".join(f'resource.type != "compute.googleapis.com/{kind}"' for kind in kinds)
    named = " || ".join(
        f'resource.name.extract("/{kind[0].lower()}{kind[1:]}s/{{name}}").startsWith("{prefix}")' for kind in kinds
    )
    return Condition(title=f"names that begin with {prefix}", expression=f"({others}) || {named}")


def objects_that_begin_with(prefix: str) -> Condition:
    """Return a condition that limits a role on a bucket to objects with this prefix.

    Source: IAM documentation, "Resource attributes for IAM Conditions": `resource.name` of an object is
    `projects/_/buckets/<bucket>/objects/<object>`.
    """
    named = f'resource.name.extract("/objects/{{name}}").startsWith("{prefix}")'
    return Condition(title=f"objects that begin with {prefix}", expression=named)


def make_role(
    name: str,
    *,
    project: str,
    title: str,
    description: str,
    permissions: Sequence[str],
    opts: pulumi.ResourceOptions,
) -> Output[str]:
    """Create a custom role in the project, and return its name in the form that bindings accept.

    The role's id is derived from `name`. After a role is deleted, its id stays reserved for weeks. If the role is
    created again during this time, the provider restores it.
    """
    role = gcp.projects.IAMCustomRole(
        name,
        project=project,
        role_id=role_id(name),
        title=title,
        description=description,
        permissions=sorted(permissions),
        opts=opts,
    )
    return role.name
