"""Cards of Lustre file systems, and of services outside the network."""

from collections.abc import Iterable, Iterator

from hpc_components.azure.plan.types import LUSTRE, STORAGE_ACCOUNT
from hpc_components.preview.nested import number_at, text_at
from hpc_components.preview.picture.cards import Card, file_system_card
from hpc_components.preview.resources import Resource, Resources
from hpc_components.wording import plural

_HOME = "hpc:azure:HomeFilesystem"


def file_system_cards(resources: Resources) -> Iterator[tuple[Resource, Card]]:
    """Yield every Lustre file system with the container to which it is linked."""
    for each in resources.of_type(LUSTRE):
        tib, tier = each.number("storageCapacityTiB"), text_at(each.inputs, "sku.name")
        facts = ("Managed Lustre", f"{tib} TiB" if tib else None, f"{_speed(tier)} MB/s per TiB" if tier else None)
        yield each, file_system_card(resources, each, "lustre", facts, _linked(resources, each))


def _speed(sku: str) -> str:
    return sku.rpartition("-")[2]


def _linked(resources: Resources, lustre: Resource) -> tuple[str, ...]:
    """Return the title of the container from which a Lustre file system loads."""
    if not lustre.inputs.get("hsm"):
        return ()
    own = [title for each in resources.needed(lustre, STORAGE_ACCOUNT) if (title := _title(each))]
    container = text_at(lustre.inputs, "hsm.settings.container")
    named = (
        f"{container.split('/')[-5]}/{container.split('/')[-1]}" if container and container.count("/") > 4 else None
    )
    return (own[0] if own else named or "linked container",)


def service_cards(resources: Resources, linked: Iterable[str]) -> Iterator[Card]:
    """Yield the services outside the network, buckets first."""
    seen = set()
    for each in resources.of_type(STORAGE_ACCOUNT):
        if resources.owner(each, _HOME) is not None:
            continue  # drawn as a file system
        config = resources.owner(each, "hpc:azure:ConfigBucket") is not None
        seen.add(title := _title(each))
        line = "storage account, configuration of the nodes" if config else "storage account"
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
        yield Card(kind="reaper", title="Nodes' resource group", lines=("deletes its machines with it",))
    if secrets := resources.of_type("azure-native:keyvault:Secret"):
        yield Card(kind="secret", title=plural(len(secrets), "secret"), lines=("Key Vault",))


def _title(account: Resource) -> str:
    return account.text("accountName") or account.name
