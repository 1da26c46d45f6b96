from hpc_components.catalog.mistake import Mistake
from hpc_components.gcp.catalog.images import image_reference
from hpc_components.gcp.catalog.resource_ids import IdKind, id_parts, wrong_id
from hpc_components.gcp.catalog.zones import zone_mistake

_IDS: dict[str, IdKind] = {
    "network": "network",
    "subnet": "subnet",
    "reservation": "reservation",
    "key": "kms_key",
    "policy": "resource_policy",
    "service_account": "service_account",
    "billing_account": "billing_account",
}


def id_mistake(kind: str, id: str, region: str) -> Mistake | None:
    """See `CloudCatalog.id_mistake`.

    The additional id kinds for Google Cloud are `key`, `policy`, `service_account` and `billing_account`.
    """
    wrong: tuple[str, str] | None = None
    if known := _IDS.get(kind):
        wrong = wrong_id(known, id, region)
    elif kind == "image" and image_reference(id) is None:
        wrong = (
            f"{id!r} is not a valid image id",
            "write projects/<project>/global/images/<name>, or .../images/family/<name>",
        )
    elif kind == "zone":
        wrong = zone_mistake(id, region)
    elif kind == "secret" and id_parts("secret_version", id) is None:
        if id_parts("secret", id):
            return Mistake("this secret id has no version", f"write {id}/versions/latest")
        remedy = "use projects/<project>/secrets/<name>/versions/latest, and never write the password itself"
        return Mistake("this is not a valid secret version id", remedy, may_be_secret=True)
    return Mistake(*wrong) if wrong else None
