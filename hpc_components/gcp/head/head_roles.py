import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence

import pulumi
import pulumi_gcp as gcp
from pulumi import Input, Output

from hpc_components.gcp.catalog.accounts import account_resource
from hpc_components.gcp.catalog.image_projects import is_public_image
from hpc_components.gcp.identity.roles import Condition, Grant, grant, make_role, names_that_begin_with
from hpc_components.gcp.ports import FleetRef, Identity

LAUNCH = (
    "compute.disks.create",
    "compute.disks.setLabels",
    "compute.instances.create",
    "compute.instances.delete",
    "compute.instances.get",
    "compute.instances.setLabels",
    "compute.instances.setMetadata",
    "compute.instances.setServiceAccount",
)
"""Permissions to create and delete machines and their disks. They are granted for all names that begin with the
cluster's name, because the head node must also be able to delete machines of removed queues."""

PLACE = (
    # IAM conditions can't match the names of resource policies, because they don't support this resource type.
    # Source: IAM documentation, "Resource attributes for IAM Conditions", resource types.
    "compute.resourcePolicies.create",
    "compute.resourcePolicies.delete",
    "compute.resourcePolicies.list",
    "compute.resourcePolicies.use",
    # The remaining permissions are read-only. They can't be limited by name, because lists and operations belong to
    # the project or a zone. It is not documented whether a launch needs to read types and templates, but permission
    # to do so is harmless.
    "compute.acceleratorTypes.get",
    "compute.instanceTemplates.get",
    "compute.instanceTemplates.useReadOnly",
    "compute.instances.list",
    "compute.machineTypes.get",
    "compute.zoneOperations.get",
    "compute.zoneOperations.list",
)

USE = ("compute.subnetworks.use",)

_SUBNET = re.compile(r"projects/([^/]+)/regions/[^/]+/subnetworks/([^/]+)")
_IMAGE = re.compile(r"projects/([^/]+)/global/images/(family/)?([^/]+)")


def make_head_roles(
    name: str,
    *,
    identity: Identity,
    cluster: str,
    project: str,
    fleets: Sequence[FleetRef],
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """Create custom roles and bind them, unless there are no fleets or the service account is the user's own.

    Google's predefined roles are not used, because they would apply to every machine in the project, and also to
    firewalls and templates.
    """
    if not fleets or not identity.is_ours:
        return []
    roles = {
        key: make_role(
            f"{name}-{key}",
            project=project,
            title=f"HPC cluster {cluster}: {what}",
            description="For the head node, which launches and deletes the compute nodes of one cluster",
            permissions=permissions,
            opts=opts,
        )
        for key, what, permissions in (
            ("launch", "launch compute nodes", LAUNCH),
            ("place", "place compute nodes", PLACE),
            ("use", "use the subnets of compute nodes", USE),
        )
    }
    named = names_that_begin_with(f"{cluster}-", "Instance", "Disk")
    grants = [
        Grant(name="launches-nodes", role=roles["launch"], on="project", resource=project, condition=named),
        Grant(name="places-nodes", role=roles["place"], on="project", resource=project),
        *_subnet_grants(fleets, roles["use"], project),
        *_account_grants(fleets, project),
    ]
    return [*grant(name, identity, grants, opts), *_image_bindings(name, identity, fleets, opts)]


def _subnet_grants(fleets: Sequence[FleetRef], role: Input[str], project: str) -> Iterator[Grant]:
    """Yield a grant for each subnet.

    For subnets in another project, a predefined role is granted, because a custom role is valid only in its own
    project.
    """
    for key, subnet in _subnets(fleets).items():
        found = _SUBNET.fullmatch(subnet) if isinstance(subnet, str) else None
        elsewhere = found is not None and found[1] != project
        role_there = "roles/compute.networkUser" if elsewhere else role
        yield Grant(name=f"uses-{key}", role=role_there, on="subnet", resource=subnet)


def _subnets(fleets: Sequence[FleetRef]) -> Mapping[str, Input[str]]:
    """Return each subnet once. Otherwise, there could be two equal bindings, and deleting one would also remove the
    other.

    A subnet with a known id is keyed by its name, any other subnet by the fleet's label for it. If two fleets use the
    same label for different subnets, the key includes the queue's name.
    """
    found: dict[str, Input[str]] = {}
    for fleet in fleets:
        for key, subnet in fleet.subnets.items():
            if isinstance(subnet, str):
                found[f"{subnet.rpartition('/')[2]}-{_digest(subnet)}"] = subnet
            elif found.setdefault(key, subnet) is not subnet:
                found[f"{fleet.queue}-{key}"] = subnet
    return found


def _account_grants(fleets: Sequence[FleetRef], project: str) -> Iterator[Grant]:
    """Yield a grant for each queue's service account. To create a machine, the head node must be allowed to act as
    the machine's account.
    """
    found: dict[str, Input[str]] = {}
    for fleet in fleets:
        email = fleet.service_account
        key = f"{email.partition('@')[0]}-{_digest(email)}" if isinstance(email, str) else fleet.queue
        found[key] = email
    for key, email in found.items():
        resource = Output.from_input(email).apply(lambda known: account_resource(known, project))
        yield Grant(
            name=f"acts-as-{key}", role="roles/iam.serviceAccountUser", on="service_account", resource=resource
        )


def _image_bindings(
    name: str, identity: Identity, fleets: Sequence[FleetRef], opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Grant permission to use images that are not public. For an image family, permission is granted on all images in
    the family's project.
    """
    made: list[pulumi.Resource] = []
    queues = {image: fleet.queue for fleet in reversed(fleets) for image in fleet.images}
    for image in dict.fromkeys(image for fleet in fleets for image in fleet.images):
        member = Output.concat("serviceAccount:", identity.email)
        if not isinstance(image, str):  # one that the stack makes, in the cluster's project
            made.append(
                gcp.compute.ImageIamMember(
                    f"{name}-uses-image-of-{queues[image]}",
                    image=image,
                    role="roles/compute.imageUser",
                    member=member,
                    opts=opts,
                )
            )
            continue
        found = _IMAGE.fullmatch(image)
        if found is None or is_public_image(image):
            continue
        key, role = f"uses-{found[3]}-{_digest(image)}", "roles/compute.imageUser"
        if found[2]:
            only = Condition(title="images", expression='resource.type == "compute.googleapis.com/Image"')
            grants = [Grant(name=key, role=role, on="project", resource=found[1], condition=only)]
            made += grant(name, identity, grants, opts)
        else:
            made.append(gcp.compute.ImageIamMember(f"{name}-{key}", image=image, role=role, member=member, opts=opts))
    return made


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]
