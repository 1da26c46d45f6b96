from collections.abc import Iterator

from hpc_components.gcp.plan.types import BUCKET
from hpc_components.preview.nested import is_known, is_true, items, text_at
from hpc_components.preview.resource_finding import ResourceFinding
from hpc_components.preview.resources import Resource
from hpc_components.spec.findings import Level
from hpc_components.spec.plan_rule import resource_rule

_EVERYBODY = ("allUsers", "allAuthenticatedUsers")


@resource_rule("HPC-PLN-020", Level.WARNING)
def closed_buckets(resource: Resource) -> Iterator[ResourceFinding]:
    """Buckets must prevent public access, and only IAM may grant permissions on them.

    People find public buckets by guessing names, and you pay for every download. ACLs on individual objects grant
    access that doesn't appear in any policy. Source: Cloud Storage documentation, "Public access prevention",
    "Uniform bucket-level access".
    """
    if resource.type != BUCKET:
        return
    prevention = text_at(resource.inputs, "publicAccessPrevention")
    if is_known(resource.inputs, "publicAccessPrevention") and prevention != "enforced":
        yield ResourceFinding(
            resource=resource,
            path="publicAccessPrevention",
            value=prevention,
            reason="a policy can make the bucket public",
            remedy="use publicAccessPrevention: enforced; if the bucket is meant to be public, silence this finding",
        )
    if is_known(resource.inputs, "uniformBucketLevelAccess") and not is_true(
        resource.inputs, "uniformBucketLevelAccess"
    ):
        yield ResourceFinding(
            resource=resource,
            path="uniformBucketLevelAccess",
            value=resource.inputs.get("uniformBucketLevelAccess"),
            reason="objects may have separate permissions, which the bucket's policy doesn't show",
            remedy="use uniformBucketLevelAccess: true",
        )


@resource_rule("HPC-PLN-021", Level.WARNING)
def named_members(resource: Resource) -> Iterator[ResourceFinding]:
    """Grant roles only to specific users and accounts, never to everyone.

    Everyone includes `allAuthenticatedUsers`, which means anyone with a Google account. Source: IAM documentation,
    "Principal identifiers".
    """
    if not resource.type.startswith("gcp:") or "iam" not in resource.kind.lower():
        return
    members = (text_at(resource.inputs, "member"), *items(resource.inputs, "members"))
    found = [each for each in members if each in _EVERYBODY]
    if found:
        yield ResourceFinding(
            resource=resource,
            path="member" if resource.inputs.get("member") else "members",
            value=", ".join(found),
            reason=f"everyone has {text_at(resource.inputs, 'role') or 'this role'} on this resource",
            remedy="grant the role to specific users, groups, domains or service accounts",
        )
