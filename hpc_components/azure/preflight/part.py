import json
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import cast

from hpc_components.azure.preflight.account import AzureAccount
from hpc_components.azure.preflight.named import named
from hpc_components.azure.preflight.policies import demands
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.preflight.account import Action, Demand, Named, NewName, NoAccountError
from hpc_components.preflight.asked import Asked, actions_of, sources_of
from hpc_components.preflight.login import output_of
from hpc_components.preflight.rest import RestCall, RestReader, permissions_of, rest_calls

_ARM = "https://management.azure.com/"
_GROUP = "azure-native:resources:ResourceGroup"


class AzurePart:
    """See `AccountPart`."""

    @cached_property
    def calls(self) -> Mapping[str, RestCall]:
        return rest_calls(__file__)

    @cached_property
    def permissions(self) -> Mapping[str, tuple[str, ...]]:
        return permissions_of(self.calls)

    @cached_property
    def sources(self) -> Mapping[str, str]:
        return sources_of(__file__)

    def connect(self, asked: Asked) -> AzureAccount:
        """Use the login of the Azure CLI, and the subscription that Pulumi's provider would use."""
        chosen = asked.config.get("azure-native:subscriptionId") or os.environ.get("ARM_SUBSCRIPTION_ID")
        token, subscription = login_of_cli(str(chosen) if chosen else None)
        return self.account(asked, RestReader(self.calls, lambda: token), subscription)

    def account(self, asked: Asked, reader: RestReader, subscription: str) -> AzureAccount:
        return AzureAccount(reader, subscription, asked.cluster.region)

    def named(self, asked: Asked) -> Iterable[Named]:
        return named(cast(AzureClusterSpec, asked.cluster))

    def new_names(self, asked: Asked) -> Iterator[NewName]:
        for name, bucket in asked.cluster.buckets.items():
            if bucket.name is not None:
                yield NewName(path=("buckets", name, "name"), kind="storage account", name=bucket.name)
        for each in asked.made:
            name = each.inputs.get("resourceGroupName")
            if each.type == _GROUP and isinstance(name, str):
                yield NewName(path=("name",), kind="resource group", name=name)

    def services(self, asked: Asked) -> Mapping[str, str]:
        """Return the resource providers of the plan's resources."""
        return {action.name.partition("/")[0]: action.type for action in self.actions(asked)}

    def actions(self, asked: Asked) -> Iterator[Action]:
        return actions_of(asked, __file__)

    def demands(self, asked: Asked) -> Iterator[Demand]:
        return demands(asked, self.actions(asked))

    def enable_command(self, service: str) -> str:
        return f"az provider register --namespace {service}"

    def policy(self) -> str:
        """Return a custom role, for `az role definition create --role-definition`."""
        actions = sorted({call.permission for call in self.calls.values() if call.permission})
        role = {
            "Name": "hpc preflight",
            "Description": "Reads what `hpc preflight` asks for.",
            "Actions": actions,
            "AssignableScopes": ["/subscriptions/<subscription>"],
        }
        return json.dumps(role, indent=2)


def login_of_cli(subscription: str | None) -> tuple[str, str]:
    """Return an access token of the Azure CLI, and the subscription's id."""
    chosen = ["--subscription", subscription] if subscription else []
    text = output_of(
        "az", "account", "get-access-token", "--resource", _ARM, "--output", "json", *chosen, log_in="az login"
    )
    try:
        told = json.loads(text)
        return told["accessToken"], subscription or told["subscription"]
    except (ValueError, KeyError, TypeError):
        raise NoAccountError("`az account get-access-token` printed no token; log in with `az login`") from None


PART = AzurePart()
