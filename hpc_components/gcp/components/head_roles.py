"""The head node's own roles: to make and delete compute nodes, and to use what they are made with."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence

import pulumi
import pulumi_gcp as gcp
from pulumi import Input, Output

from hpc_components.gcp.catalog.accounts import account_resource
from hpc_components.gcp.catalog.image_projects import is_public_image
from hpc_components.gcp.components.roles import Condition, Grant, grant, make_role, names_that_begin_with
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
"""Make and delete machines with their disks. Bound for those alone whose names begin with the cluster's; not with the
queues' as well, since the machines of a queue that is gone from the description must be deleted too."""

PLACE = (
    # Conditions know no names of policies: these are in no list of resource types that have one.
    # Source: IAM documentation, "Resource attributes for IAM Conditions", resource types.
    "compute.resourcePolicies.create",
    "compute.resourcePolicies.delete",
    "compute.resourcePolicies.list",
    "compute.resourcePolicies.use",
    # What follows only reads: lists, and how far a launch is, are of the project or of a zone. That a launch needs
    # to read types and templates is documented nowhere; it costs nothing to be allowed to.
    "compute.acceleratorTypes.get",
    "compute.instanceTemplates.get",
    "compute.instanceTemplates.useReadOnly",
    "compute.instances.list",
    "compute.machineTypes.get",
    "compute.zoneOperations.get",
    "compute.zoneOperations.list",
)
"""Make and delete placement policies, see what there is, and how far operations are."""

USE = ("compute.subnetworks.use",)
"""Put machines into a subnet. Bound on the subnets."""

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
    """Custom roles and their bindings; nothing without fleets, or for an account that is given no roles.

    Google's own roles for that hold for every machine of a project, and change firewalls and templates too.
    """
    if not fleets or not identity.is_ours:
        return []
    roles = {
        key: make_role(
            f"{name}-{key}",
            project=project,
            title=f"HPC cluster {cluster}: {what}",
            description="Of the head node, which makes and deletes the compute nodes of one cluster",
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
    """On each subnet. Another project takes no role of this one: there it is Google's own, which is wider."""
    for key, subnet in _subnets(fleets).items():
        found = _SUBNET.fullmatch(subnet) if isinstance(subnet, str) else None
        elsewhere = found is not None and found[1] != project
        role_there = "roles/compute.networkUser" if elsewhere else role
        yield Grant(name=f"uses-{key}", role=role_there, on="subnet", resource=subnet)


def _subnets(fleets: Sequence[FleetRef]) -> Mapping[str, Input[str]]:
    """The subnets, each once: of two bindings of one member to one role, one would take the other with it.

    Fleets call a subnet by the same name; where they do not mean the same one, it has its queue's name too.
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
    """On each service account, which may be that of several queues: who makes a machine must act as its account."""
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
    """On the images that are not public; for a family in its project, for images alone."""
    made: list[pulumi.Resource] = []
    for image in dict.fromkeys(image for fleet in fleets for image in fleet.images):
        found = _IMAGE.fullmatch(image)
        if found is None or is_public_image(image):
            continue
        key, role = f"uses-{found[3]}-{_digest(image)}", "roles/compute.imageUser"
        if found[2]:
            only = Condition(title="images", expression='resource.type == "compute.googleapis.com/Image"')
            grants = [Grant(name=key, role=role, on="project", resource=found[1], condition=only)]
            made += grant(name, identity, grants, opts)
        else:
            member = Output.concat("serviceAccount:", identity.email)
            made.append(gcp.compute.ImageIamMember(f"{name}-{key}", image=image, role=role, member=member, opts=opts))
    return made


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]
