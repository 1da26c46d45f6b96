from collections.abc import Iterator

from hpc_components.gcp.catalog.firewalls import lets_in, ports_of, sources_of
from hpc_components.preview.ingress import Ingress
from hpc_components.preview.nested import items
from hpc_components.preview.resources import Resource

_FIREWALL = "gcp:compute/firewall:Firewall"
_CUSTOM_ROLES = (
    "gcp:organizations/iAMCustomRole:IAMCustomRole",
    "gcp:projects/iAMCustomRole:IAMCustomRole",
)
_BROAD_ROLES = (
    "roles/owner", "roles/editor", "roles/admin", "roles/writer", "roles/iam.securityAdmin",
    "roles/resourcemanager.projectIamAdmin", "roles/iam.serviceAccountTokenCreator", "roles/compute.admin",
)  # fmt: skip
"""Roles that allow nearly everything in a project, or the impersonation of all its service accounts. Source: IAM
documentation, "Basic roles" and "Roles for service account authentication"."""
_ON_PROJECTS = ("IAMMember", "IAMBinding")


def ingress(resource: Resource) -> Iterator[Ingress]:
    """Yield the TCP traffic that a firewall rule allows, ignoring deny rules with a higher priority."""
    if resource.type == _FIREWALL and lets_in(resource.inputs):
        sources = tuple(sources_of(resource.inputs))
        for low, high in ports_of(resource.inputs):
            yield Ingress(sources=sources, low=low, high=high, path="sourceRanges")


def wildcard_actions(resource: Resource) -> Iterator[str]:
    if resource.type in _CUSTOM_ROLES:
        yield from (str(each) for each in items(resource.inputs, "permissions") if "*" in str(each))
    role = resource.inputs.get("role")
    on_project = resource.type.startswith("gcp:projects/") and resource.type.rpartition(":")[2] in _ON_PROJECTS
    if on_project and role in _BROAD_ROLES:
        yield f"everything that {role} allows in a project"
