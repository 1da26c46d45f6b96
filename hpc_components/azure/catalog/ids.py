from hpc_components.azure.catalog.arm_ids import ArmKind, vault_url, wrong_arm_id, wrong_vault_url
from hpc_components.azure.catalog.images import image_reference
from hpc_components.azure.catalog.zones import zone_mistake
from hpc_components.catalog.mistake import Mistake

_ARM: dict[str, ArmKind] = {
    "network": "virtual_network",
    "subnet": "subnet",
    "reservation": "capacity_reservation_group",
}


def id_mistake(kind: str, id: str, region: str) -> Mistake | None:
    """See `CloudCatalog.id_mistake`."""
    wrong: tuple[str, str] | None = None
    if arm := _ARM.get(kind):
        wrong = wrong_arm_id(id, arm)
    elif kind == "image" and image_reference(id) is None:
        wrong = (
            f"{id!r} is not an Azure image",
            "write publisher:offer:sku:version, or an image id such as /subscriptions/...",
        )
    elif kind == "zone":
        wrong = zone_mistake(id, region)
    elif kind == "secret" and vault_url(id, "secrets") is None:
        _, remedy = wrong_vault_url(id, "secrets") or ("", "")
        return Mistake(
            "this is not the URL of a secret", f"{remedy}, but never the password itself", may_be_secret=True
        )
    return Mistake(*wrong) if wrong else None
