from collections.abc import Iterable, Iterator

from hpc_components.azure.plan.types import STORAGE_ACCOUNT
from hpc_components.preview.nested import number_at
from hpc_components.preview.picture.cards import Card
from hpc_components.preview.resources import Resource, Resources
from hpc_components.wording import plural

_HOME = "hpc:azure:HomeFilesystem"


def service_cards(resources: Resources, linked: Iterable[str]) -> Iterator[Card]:
    seen = set()
    for each in resources.of_type(STORAGE_ACCOUNT):
        if resources.owner(each, _HOME) is not None:
            continue  # shown as a file system
        config = resources.owner(each, "hpc:azure:ConfigBucket") is not None
        seen.add(title := account_title(each))
        line = "storage account with node configuration" if config else "storage account"
        yield Card(kind="bucket", title=title, lines=(line,))
    for title in dict.fromkeys(linked):
        if title not in seen:
            yield Card(kind="bucket", title=title, lines=("existing Blob container",))
    for each in resources.of_type("azure-native:consumption:Budget"):
        amount = number_at(each.inputs, "amount")
        grain = (each.text("timeGrain") or "").lower()
        line = f"{amount:,} {grain}" if amount is not None else "limit not known yet"
        yield Card(kind="money", title="Budget", lines=(line,))
    if resources.of_type("hpc:azure:NodeReaper"):
        yield Card(kind="reaper", title="Nodes' resource group", lines=("deleting it deletes the nodes",))
    if secrets := resources.of_type("azure-native:keyvault:Secret"):
        yield Card(kind="secret", title=plural(len(secrets), "secret"), lines=("Key Vault",))


def account_title(account: Resource) -> str:
    return account.text("accountName") or account.name
