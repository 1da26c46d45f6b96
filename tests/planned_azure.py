"""What `pulumi up` makes of a program, for Azure's stand-ins: tags, names and permissions are the program's own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hpc_components.azure.catalog.roles import role_id, role_names
from hpc_components.preview.record import RecordedResource, Recording
from hpc_components.preview.recorder.standins import standin_id, standin_outputs

ACCOUNT, DATA_ACCOUNT, VAULT = "labconfig1a2b3c", "labdata1a2b3c", "lab-1a2b3c"
INGESTION, RULE = "https://lab-1a2b.eastus-1.ingest.monitor.azure.com", "dcr-1a2b3c"
"""What Azure would give to the resources that it names itself. Stand-ins in their place would be no host names."""

MACHINE, SCALE_SET = "compute:VirtualMachine", "compute:VirtualMachineScaleSet"
CONTAINER, SECRET, ROLE = "storage:BlobContainer", "keyvault:Secret", "authorization:RoleDefinition"
ENDPOINT, RULES = "monitor:DataCollectionEndpoint", "monitor:DataCollectionRule"
"""Types of resources."""


@dataclass(frozen=True)
class PlannedAzure:
    """A recording of a program as in an update (`preview=False`), for a cluster called `lab` on Azure."""

    recording: Recording

    def tags(self, name: str) -> dict[str, str]:
        """Tags of a machine, or of a scale set and its machines."""
        (found,) = [each for each in (*self._all(MACHINE), *self._all(SCALE_SET)) if each.name == name]
        return {key: self._named(value) for key, value in found.inputs["tags"].items()}

    @property
    def scale_sets(self) -> dict[str, dict[str, str]]:
        """Tags of each scale set of compute nodes, by its name."""
        tags = {each.name: self.tags(each.name) for each in self._all(SCALE_SET)}
        return {name: own for name, own in tags.items() if own["hpc:role"] == "compute"}

    def text(self, path: str) -> str:
        """Text in the config container."""
        (found,) = [each for each in self._all("storage:Blob") if each.inputs["blobName"] == path]
        return self._named(found.inputs["source"]["asset"]["text"])

    @property
    def secrets(self) -> list[str]:
        """Names of the secrets."""
        return [each.inputs["secretName"] for each in self._all(SECRET)]

    def grants(self, client: str) -> frozenset[tuple[str, str]]:
        """Role and scope of each assignment of an identity, by its client id; in the words of `boot.azure_rights`."""
        (principal,) = [
            _outputs(each)["principalId"]
            for each in self._all("managedidentity:UserAssignedIdentity")
            if _outputs(each)["clientId"] == client
        ]
        return frozenset(
            (self._roles[each.inputs["roleDefinitionId"]], self._scopes[each.inputs["scope"]])
            for each in self._all("authorization:RoleAssignment")
            if each.inputs["principalId"] == principal
        )

    def actions(self, role: str) -> set[str]:
        """What one of the program's own roles allows."""
        (found,) = [each for each in self._all(ROLE) if self._roles[_id(each)] == role]
        return {action for permission in found.inputs["permissions"] for action in permission["actions"]}

    @cached_property
    def _roles(self) -> dict[str, str]:
        place = "/providers/Microsoft.Authorization/roleDefinitions"
        own = {_id(each): each.name.rpartition("-")[2] for each in self._all(ROLE)}
        return own | {f"{place}/{role_id(name)}": name for name in role_names()}

    @cached_property
    def _scopes(self) -> dict[str, str]:
        return {
            **{_id(each): f"container/{each.inputs['containerName']}" for each in self._all(CONTAINER)},
            **{_id(each): f"secret/{each.inputs['secretName']}" for each in self._all(SECRET)},
            **{_id(each): f"group/{each.name}" for each in self._all("resources:ResourceGroup")},
            **{_id(each): "logs" for each in self._all(RULES)},
        }

    @cached_property
    def _names(self) -> dict[str, str]:
        """Those that Azure gives, by their stand-ins."""
        names = {}
        for each in self._all(CONTAINER):
            name = each.inputs["containerName"]
            names[each.inputs["accountName"]] = DATA_ACCOUNT if name == "data" else ACCOUNT
            names[_outputs(each)["name"]] = name
        return {
            **names,
            **{_outputs(each)["name"]: VAULT for each in self._all("keyvault:Vault")},
            **{_outputs(each)["logsIngestion"]["endpoint"]: INGESTION for each in self._all(ENDPOINT)},
            **{_outputs(each)["immutableId"]: RULE for each in self._all(RULES)},
        }

    def _named(self, text: str) -> str:
        for standin, name in self._names.items():
            text = text.replace(standin, name)
        return text

    def _all(self, kind: str) -> Sequence[RecordedResource]:
        return self.recording.all(f"azure-native:{kind}")


def _id(resource: RecordedResource) -> str:
    return standin_id(resource.urn)


def _outputs(resource: RecordedResource) -> Mapping[str, Any]:
    return standin_outputs(resource.urn, resource.type)
