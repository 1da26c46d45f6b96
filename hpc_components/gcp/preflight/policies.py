"""Constraints of the organization policy that concern a cluster.

Source of their names and values: Resource Manager documentation, "Organization policy constraints".
"""

from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.gcp.images.args import image
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.preflight.account import Demand, Forbidden
from hpc_components.preflight.asked import Asked
from hpc_components.spec.node_images import image_place, image_users

_LOCATIONS, _ADDRESSES = "constraints/gcp.resourceLocations", "constraints/compute.vmExternalIpAccess"
_IMAGES, _OS_LOGIN = "constraints/compute.trustedImageProjects", "constraints/compute.requireOsLogin"
_ACCOUNTS = "constraints/iam.disableServiceAccountCreation"


def demands(asked: Asked, cluster: GcpClusterSpec) -> Iterator[Demand]:
    yield Demand(
        path=("region",),
        policy=_LOCATIONS,
        value=cluster.region,
        words=f"resources in {cluster.region}",
        remedy="use a region that the policy allows, or have an administrator permit this one",
    )
    if cluster.head_node.public:
        yield Demand(
            path=("head_node", "public"),
            policy=_ADDRESSES,
            value=f"projects/{cluster.project}/zones/{cluster.zone}/instances/{cluster.name}-head",
            words="a public address of the head node",
            remedy="use public: false, and reach it by network.iap or through login nodes",
        )
    if not cluster.os_login:
        yield Demand(
            path=asked.path_of("os_login"),
            policy=_OS_LOGIN,
            value=None,
            words="logins with the keys of the description",
            remedy="use os_login: true",
        )
    if any(each.type == "gcp:serviceaccount/account:Account" for each in asked.made):
        yield Demand(
            path=(),
            policy=_ACCOUNTS,
            value=None,
            words="creating service accounts",
            remedy="name existing ones as service_account of the nodes",
        )
    yield from _images(cluster)


def _images(cluster: GcpClusterSpec) -> Iterator[Demand]:
    seen = set()
    for path, node in image_users(cluster):
        if cluster.recipe_of(node.image):
            continue
        project = "/".join(image(cluster, node.machine, node.image).split("/")[:2])
        if project in seen:
            continue
        seen.add(project)
        yield Demand(
            path=image_place(cluster, path) if node.image else (*path, "machine"),
            policy=_IMAGES,
            value=project,
            words=f"images of {project}",
            remedy="use an image of a project that the policy allows, or have an administrator permit this one",
        )


def forbidden(policy: Mapping[str, Any], demand: Demand) -> Forbidden | None:
    """Return whether an effective policy forbids a demand. Source: Resource Manager API v1 reference, `Policy`."""
    by = f"organization policy {demand.policy}"
    if policy.get("booleanPolicy", {}).get("enforced"):
        return Forbidden(by=by)
    rule = policy.get("listPolicy")
    if rule is None or demand.value is None:
        return None
    if rule.get("allValues") == "DENY":
        return Forbidden(by=by)
    allowed, denied = (set(rule.get(key, ())) for key in ("allowedValues", "deniedValues"))
    names = _names(demand)
    if denied & names:
        return Forbidden(by=by)
    if not allowed or allowed & names:
        return None
    # groups of values, such as in:eu-locations and under:organizations/1, are not written out
    return Forbidden(by=by, certain=not any(each.startswith(("in:", "under:")) for each in allowed))


def _names(demand: Demand) -> set[str]:
    """Return the values and groups of values by which a policy may name a demand."""
    value = demand.value
    names = {value, f"is:{value}", f"under:{value}"}
    if demand.policy == _LOCATIONS:
        parts = value.split("-")
        names |= {f"in:{'-'.join(parts[:count])}-locations" for count in range(1, len(parts) + 1)}
    return names
