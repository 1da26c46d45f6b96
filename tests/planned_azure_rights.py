"""What the role assignments of a recorded program allow on Azure, and the groups that nodes are launched from."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from boot.azure_rights import ROLES
from elastic.drivers.arm_rights import CONTAINER, links_of
from elastic.drivers.azure_cluster import BLOBS
from elastic.drivers.fake_arm import GROUP, FakeArm
from elastic.drivers.fake_login_sets import OWN_GROUP

from hpc_components.azure.catalog.roles import role_id, role_names
from hpc_components.elastic.drivers.azure.driver import Place
from hpc_components.elastic.model import Pool
from hpc_components.preview.record import RecordedResource, Recording
from hpc_components.preview.recorder.standins import standin_id, standin_outputs

_BUILT_IN = "/providers/Microsoft.Authorization/roleDefinitions/"


@dataclass(frozen=True)
class Assignment:
    """A role assignment."""

    name: str
    actions: frozenset[str]
    """Its own actions, or as many of the built-in role's as nodes use."""
    scope: str
    own: bool
    """Whether the role is the program's own."""


@dataclass(frozen=True)
class AzureRights:
    """All assignments of one identity."""

    recording: Recording
    assignments: tuple[Assignment, ...]

    @property
    def own_roles(self) -> list[Assignment]:
        """The assignments of the program's own roles."""
        return [each for each in self.assignments if each.own]

    def holds(self, action: str, id: str) -> bool:
        """Whether the identity may do `action` on the resource with this id, a stand-in's or the emulator's."""
        places = self._places(id)
        return any(action in each.actions and each.scope in places for each in self.assignments)

    def without(self, action: str) -> "AzureRights":
        """The same but for one action of the program's own roles."""
        kept = (replace(each, actions=each.actions - {action}) if each.own else each for each in self.assignments)
        return replace(self, assignments=tuple(kept))

    def without_assignment(self, name: str) -> "AzureRights":
        """The same but for one assignment."""
        return replace(self, assignments=tuple(each for each in self.assignments if each.name != name))

    def _places(self, id: str) -> set[str]:
        """The ids above a resource, and its own."""
        if id == GROUP or id.startswith(f"{GROUP}/"):
            return {self._group_of_nodes}
        if id == OWN_GROUP:
            return {_id(each) for each in _all(self.recording, "resources:ResourceGroup")} - {self._group_of_nodes}
        if id == CONTAINER:
            return {_id(each) for each in _all(self.recording, "storage:BlobContainer", containerName="nodes")}
        if id.startswith("/"):
            parts = id.split("/")
            return {"/".join(parts[:count]) for count in range(2, len(parts) + 1)}
        return {id, *self._groups.get(id, ())}

    @cached_property
    def _group_of_nodes(self) -> str:
        (found,) = [each for each in _all(self.recording, "resources:ResourceGroup") if each.name.endswith("-reaper")]
        return _id(found)

    @cached_property
    def _groups(self) -> Mapping[str, Collection[str]]:
        """The id of the resource group of each resource, by its id."""
        ids = {_outputs(each)["name"]: _id(each) for each in _all(self.recording, "resources:ResourceGroup")}
        of = {_id(each): each.inputs.get("resourceGroupName") for each in self.recording.resources if each.custom}
        return {id: {ids[name]} for id, name in of.items() if name in ids}


def head_rights(recording: Recording) -> AzureRights:
    """What the head node may do."""
    tags = _head(recording).inputs["tags"]
    (principal,) = [
        _outputs(each)["principalId"]
        for each in _all(recording, "managedidentity:UserAssignedIdentity")
        if _outputs(each)["clientId"] == tags["hpc:identity"]
    ]
    own = {
        _id(each): frozenset(action for permission in each.inputs["permissions"] for action in permission["actions"])
        for each in _all(recording, "authorization:RoleDefinition")
    }
    built_in = {f"{_BUILT_IN}{role_id(name)}": frozenset(ROLES.get(name, ())) for name in role_names()}
    return AzureRights(
        recording,
        tuple(
            Assignment(each.name, {**own, **built_in}[role], each.inputs["scope"], role in own)
            for each in _all(recording, "authorization:RoleAssignment", principalId=principal)
            if (role := each.inputs["roleDefinitionId"])
        ),
    )


def head_place(recording: Recording, arm: FakeArm) -> Place:
    """Where the head node's driver finds its machines."""
    config = _head(recording).inputs["tags"]["hpc:config"]
    return Place(arm=arm.base, group=GROUP, own_group=OWN_GROUP, config=config, blobs=f"{arm.base}{BLOBS}")


def cluster_of(recording: Recording) -> str:
    """Name of the cluster."""
    return _head(recording).inputs["tags"]["ClusterName"]


def add_planned_groups(arm: FakeArm, recording: Recording) -> None:
    """Make the plan's scale sets and availability sets."""
    templates = {_id(each): each for each in _all(recording, "resources:TemplateSpecVersion")}
    for each in _groups(recording):
        tags = each.inputs["tags"]
        named = each.type.endswith(":AvailabilitySet")
        model = templates[tags["hpc:template"]].inputs["mainTemplate"] if named else each.inputs
        arm.add_set(
            each.name,
            tags["hpc:machine"],
            (each.inputs.get("zones") or [""])[0],
            tags,
            named=named,
            flexible=each.inputs.get("orchestrationMode") == "Flexible",
            spot=tags["hpc:purchase"] == "spot",
            links=tuple(dict.fromkeys((*links_of(model), *links_of(each.inputs)))),
        )


def planned_pools(recording: Recording) -> list[Pool]:
    """What can be launched."""
    return [
        Pool(**{what: each.inputs["tags"][f"hpc:{what}"] for what in ("queue", "machine", "zone", "purchase")})
        for each in _groups(recording)
    ]


def _groups(recording: Recording) -> list[RecordedResource]:
    every = (*_all(recording, "compute:VirtualMachineScaleSet"), *_all(recording, "compute:AvailabilitySet"))
    return [each for each in every if each.inputs["tags"]["hpc:role"] == "compute"]


def _head(recording: Recording) -> RecordedResource:
    (found,) = [
        each for each in _all(recording, "compute:VirtualMachine") if each.inputs["tags"]["hpc:role"] == "head"
    ]
    return found


def _all(recording: Recording, kind: str, **inputs: Any) -> list[RecordedResource]:
    every = recording.all(f"azure-native:{kind}")
    return [each for each in every if inputs.items() <= each.inputs.items()]


def _id(resource: RecordedResource) -> str:
    return standin_id(resource.urn)


def _outputs(resource: RecordedResource) -> Mapping[str, Any]:
    return standin_outputs(resource.urn, resource.type)
