"""The head node's own permissions: to make and delete compute nodes, and to use what they are made with."""

import hashlib
import re
from collections.abc import Mapping, Sequence

import pulumi
import pulumi_gcp as gcp
from pulumi import Input, Output

from hpc_components.gcp.catalog.image_projects import is_public_image
from hpc_components.gcp.components.node_grants import member_of
from hpc_components.gcp.ports import FleetRef, Identity

__all__ = ["make_head_roles"]

LAUNCH = (
    "compute.instances.create",
    "compute.instances.delete",
    "compute.instances.get",
    "compute.instances.setLabels",
    "compute.instances.setMetadata",
    "compute.instances.setServiceAccount",
    "compute.instances.setTags",
    "compute.disks.create",
    "compute.disks.setLabels",
)
"""Make and delete machines and their disks. Bound for those alone whose names begin with the cluster's."""

PLACE = (
    # Conditions know no names of these: they are in no list of resource types that have one.
    # Source: IAM documentation, "Resource attributes for IAM Conditions", resource types.
    "compute.resourcePolicies.create",
    "compute.resourcePolicies.delete",
    "compute.resourcePolicies.get",
    "compute.resourcePolicies.list",
    "compute.resourcePolicies.use",
    # Lists, and how far a launch is, are of the project or of a zone, and only read.
    "compute.instances.list",
    "compute.instanceTemplates.get",
    "compute.instanceTemplates.useReadOnly",
    "compute.acceleratorTypes.get",
    "compute.machineTypes.get",
    "compute.regionOperations.get",
    "compute.regionOperations.list",
    "compute.zoneOperations.get",
    "compute.zoneOperations.list",
)
"""Make and delete placement policies, see what there is, and how far operations are."""

USE = ("compute.subnetworks.use",)
"""Put machines into a subnet. Bound on the subnets."""

_SUBNET = re.compile(r"projects/([^/]+)/regions/([^/]+)/subnetworks/([^/]+)")
_IMAGE = re.compile(r"projects/([^/]+)/global/images/(family/)?([^/]+)")


def make_head_roles(
    name: str,
    *,
    account: Identity,
    cluster: str,
    project: str,
    fleets: Sequence[FleetRef],
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """Custom roles and their bindings; nothing without fleets, or for an account that is given no roles.

    Google's own roles for that hold for every machine of a project, and change firewalls and templates too.
    """
    if not fleets or not account.is_ours:
        return []
    roles = _HeadRoles(name, account=account, cluster=cluster, project=project, opts=opts)
    launch = roles.make("launch", "launch compute nodes", LAUNCH)
    place = roles.make("place", "place compute nodes", PLACE)
    use = roles.make("use", "use the subnets of compute nodes", USE)
    roles.bind_named("launches-nodes", launch)
    roles.bind("places-nodes", place)
    for key, subnet in _subnets(fleets).items():
        roles.bind_subnet(f"uses-{key}", use, subnet)
    for key, email in _accounts(fleets).items():
        roles.bind_account(f"acts-as-{key}", email)
    for image in dict.fromkeys(image for fleet in fleets for image in fleet.images):
        roles.bind_image(image)
    return roles.made


class _HeadRoles:
    """Makes roles, and binds them to one service account."""

    def __init__(
        self, name: str, *, account: Identity, cluster: str, project: str, opts: pulumi.ResourceOptions
    ) -> None:
        self._name, self._cluster, self._project, self._opts = name, cluster, project, opts
        self._member = member_of(account)
        self.made: list[pulumi.Resource] = []

    def make(self, key: str, what: str, permissions: Sequence[str]) -> Output[str]:
        """Id of a custom role of the project. Its own name may have no hyphen."""
        role = gcp.projects.IAMCustomRole(
            f"{self._name}-{key}",
            project=self._project,
            role_id=f"{self._name}-{key}".replace("-", "_"),
            title=f"HPC cluster {self._cluster}: {what}",
            description="Of the head node, which makes and deletes the compute nodes of one cluster",
            permissions=list(permissions),
            opts=self._opts,
        )
        return role.id

    def bind_named(self, key: str, role: Input[str]) -> None:
        """In the project, for machines and disks whose names begin with the cluster's."""
        kinds = {"Instance": "instances", "Disk": "disks"}
        expression = " || ".join(
            f'(resource.type == "compute.googleapis.com/{kind}" &&'
            f' resource.name.extract("/{collection}/{{name}}").startsWith("{self._cluster}-"))'
            for kind, collection in kinds.items()
        )
        condition = gcp.projects.IAMMemberConditionArgs(
            title=f"machines of {self._cluster}",
            description="Machines and disks whose names begin with the cluster's",
            expression=expression,
        )
        self._in_project(key, role, condition)

    def bind(self, key: str, role: Input[str]) -> None:
        """In the whole project."""
        self._in_project(key, role, None)

    def _in_project(
        self, key: str, role: Input[str], condition: "gcp.projects.IAMMemberConditionArgs | None"
    ) -> None:
        self.made.append(
            gcp.projects.IAMMember(
                f"{self._name}-{key}",
                project=self._project,
                role=role,
                member=self._member,
                condition=condition,
                opts=self._opts,
            )
        )

    def bind_subnet(self, key: str, role: Input[str], subnet: Input[str]) -> None:
        """On a subnet. Another project takes no role of this one: there it is Google's own, which is wider."""
        found = _SUBNET.fullmatch(subnet) if isinstance(subnet, str) else None
        elsewhere = found is not None and found[1] != self._project
        self.made.append(
            gcp.compute.SubnetworkIAMMember(
                f"{self._name}-{key}",
                subnetwork=subnet,
                role="roles/compute.networkUser" if elsewhere else role,
                member=self._member,
                opts=self._opts,
            )
        )

    def bind_account(self, key: str, email: Input[str]) -> None:
        """On a service account: who makes a machine must be allowed to act as the machine's account."""
        self.made.append(
            gcp.serviceaccount.IAMMember(
                f"{self._name}-{key}",
                service_account_id=Output.concat("projects/-/serviceAccounts/", email),
                role="roles/iam.serviceAccountUser",
                member=self._member,
                opts=self._opts,
            )
        )

    def bind_image(self, image: str) -> None:
        """On an image that is not public; a family is bound in its project, for images alone."""
        found = _IMAGE.fullmatch(image)
        if found is None or is_public_image(image):
            return
        key, role = f"uses-{found[3]}-{_digest(image)}", "roles/compute.imageUser"
        if found[2] is None:
            made = gcp.compute.ImageIamMember(
                f"{self._name}-{key}", image=image, role=role, member=self._member, opts=self._opts
            )
        else:
            condition = gcp.projects.IAMMemberConditionArgs(
                title="images", expression='resource.type == "compute.googleapis.com/Image"'
            )
            made = gcp.projects.IAMMember(
                f"{self._name}-{key}",
                project=found[1],
                role=role,
                member=self._member,
                condition=condition,
                opts=self._opts,
            )
        self.made.append(made)


def _subnets(fleets: Sequence[FleetRef]) -> Mapping[str, Input[str]]:
    """The subnets, each once: two bindings of one member to one role would go when one of them goes.

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


def _accounts(fleets: Sequence[FleetRef]) -> Mapping[str, Input[str]]:
    """The service accounts, each once; one of the user's own may be that of several queues."""
    found: dict[str, Input[str]] = {}
    for fleet in fleets:
        email = fleet.service_account
        key = f"{email.partition('@')[0]}-{_digest(email)}" if isinstance(email, str) else fleet.queue
        found[key] = email
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]
