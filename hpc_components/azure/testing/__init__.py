"""Azure facts for the stand-in provider and the assertions in `hpc_components.testing`. See `StandIn`."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from hpc_components.azure.testing.deletion import delete_below, held_below
from hpc_components.testing.facts import StandIn, TypeFacts, read_types
from hpc_components.testing.stand_in_cloud import StandInCloud

_SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"
_TENANT = "66666666-7777-8888-9999-000000000000"
_CLIENT = "77777777-8888-9999-0000-111111111111"


class AzureStandIn(StandIn):
    """The Azure behaviour that the engine's decisions and the matchers depend on."""

    default_region = "eastus"
    environment = ("ARM_", "AZURE_")
    region_input = "location"

    def types(self) -> Mapping[str, TypeFacts]:
        return _types()

    def field(self, name: str, region: str, inputs: Mapping[str, Any]) -> str | None:
        return {"subscription": _SUBSCRIPTION, "tenant": _TENANT}.get(name)

    def answers(self, region: str) -> Mapping[str, Mapping[str, Any]]:
        return {
            "azure-native:authorization:getClientConfig": {
                "clientId": _CLIENT,
                "objectId": _CLIENT,
                "subscriptionId": _SUBSCRIPTION,
                "tenantId": _TENANT,
            },
        }

    def given_back(self, type_: str, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the inputs as Azure reports them: identities are a mapping, and blobs have no content."""
        identity = inputs.get("identity")
        if isinstance(identity, Mapping) and isinstance(ids := identity.get("userAssignedIdentities"), list):
            inputs = {**inputs, "identity": {**identity, "userAssignedIdentities": {each: {} for each in ids}}}
        hidden = "source" if type_ == "azure-native:storage:Blob" else None
        return {key: value for key, value in inputs.items() if key != hidden}

    def happens(
        self, cloud: StandInCloud, type_: str, id_: str, inputs: Mapping[str, Any], *, action: str
    ) -> str | None:
        """Delete everything nested in a deleted resource, including resources that no stack manages. Return Azure's
        error if the resource can't be deleted.
        """
        if action != "delete":
            return None
        refusal = held_below(cloud, type_, id_)
        if refusal is None:
            delete_below(cloud, id_)
        return refusal


@cache
def _types() -> Mapping[str, TypeFacts]:
    return read_types(files(__name__).joinpath("data/types.json").read_text(encoding="utf-8"))


STAND_IN = AzureStandIn()
