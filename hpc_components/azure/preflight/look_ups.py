"""Looks up what a description names in Azure. Each function returns None if it doesn't exist."""

from collections.abc import Callable, Mapping
from ipaddress import IPv4Network
from typing import Any

from hpc_components.azure.catalog.arm_ids import arm_id
from hpc_components.azure.catalog.images import image_reference
from hpc_components.cloud import cloud_named
from hpc_components.preflight.account import NotAnsweredError, Seen
from hpc_components.preflight.rest import RestReader
from hpc_components.spec.findings import Level

LookUp = Callable[[RestReader, str, str, str], Seen | None]
"""Takes the reader, the id, the subscription and the region."""

_ARCHITECTURES = {"x64": "x86_64", "Arm64": "arm64"}


def _state(found: Mapping[str, Any]) -> str:
    state = found.get("properties", {}).get("provisioningState", "Succeeded")
    return "" if state in ("Succeeded", "Updating") else f"its state is {state}"


def _location(found: Mapping[str, Any]) -> dict[str, str]:
    return {"region": found["location"].replace(" ", "").lower()} if found.get("location") else {}


def _resource(call: str) -> LookUp:
    """Return a function for a resource that only has to exist, to be usable and to be in the right region."""

    def look_up(reader: RestReader, id: str, subscription: str, region: str) -> Seen | None:
        found = reader.read(call, id=id)
        return None if found is None else Seen(problem=_state(found), facts=_location(found))

    return look_up


def _image(reader: RestReader, id: str, subscription: str, region: str) -> Seen | None:
    reference = image_reference(id)
    if reference is None or "id" in reference:
        return _own_image(reader, id)
    where = {"subscription": subscription, "location": region}
    parts = {key: reference[key] for key in ("publisher", "offer", "sku")}
    version = reference["version"]
    if version == "latest":
        query = {"$top": "1", "$orderby": "name desc"}
        listed = reader.read("image versions", query, **where, **parts)
        newest = next(iter((listed or {}).get("value", ())), None)
        if newest is None:
            return None
        version = newest["name"]
    found = reader.read("image version", **where, **parts, version=version)
    return None if found is None else _public(found.get("properties", {}))


def _public(image: Mapping[str, Any]) -> Seen:
    state = image.get("imageDeprecationStatus", {}).get("imageState", "Active")
    architecture = _ARCHITECTURES.get(image.get("architecture", ""))
    return Seen(
        problem="" if state == "Active" else f"its state is {state}",
        level=Level.WARNING if state == "ScheduledForDeprecation" else None,
        facts={"architecture": architecture} if architecture else {},
    )


def _own_image(reader: RestReader, id: str) -> Seen | None:
    if arm_id(id) is None:
        raise NotAnsweredError(f"images of shared galleries can't be looked up ({id})")
    found = reader.read("own image" if arm_id(id, "image") else "gallery image", id=id)
    return None if found is None else Seen(problem=_state(found))


def _terms(reader: RestReader, id: str, subscription: str, region: str) -> Seen | None:
    publisher, offer, plan = id.split(":")
    found = reader.read("terms", subscription=subscription, publisher=publisher, offer=offer, plan=plan)
    if found is None:
        return None
    accepted = found.get("properties", {}).get("accepted", False)
    return Seen(problem="" if accepted else "its terms are not accepted")


def _subnet(reader: RestReader, id: str, subscription: str, region: str) -> Seen | None:
    found = reader.read("subnet", id=id)
    if found is None:
        return None
    about = found.get("properties", {})
    ranges = about.get("addressPrefixes") or [about["addressPrefix"]]
    kept = sum(cloud_named("azure").kept_addresses)
    used = len(about.get("ipConfigurations", ()))
    free = sum(max(0, IPv4Network(each).num_addresses - kept) for each in ranges) - used
    return Seen(
        problem=_state(found),
        facts={
            "range": ranges,
            "number of free addresses": free,
            "delegation": [each["properties"]["serviceName"] for each in about.get("delegations", ())] or "missing",
        },
    )


def _reservation(reader: RestReader, id: str, subscription: str, region: str) -> Seen | None:
    """Read the group and the reservations in it, which may be for several sizes and zones."""
    group = reader.read("reservation group", id=id)
    if group is None:
        return None
    ids = [each["id"] for each in group.get("properties", {}).get("capacityReservations", ())]
    every = [found for each in ids if (found := reader.read("reservation", id=each))]
    if not every:
        return Seen(problem="it contains no reservation", facts=_location(group))
    zones = [f"{region}-{zone}" for each in every for zone in each.get("zones", ())]
    facts: dict[str, Any] = {
        "machine type": [each["sku"]["name"] for each in every],
        "number of machines": sum(int(each["sku"]["capacity"]) for each in every),
    }
    return Seen(facts=facts | _location(group) | ({"zone": zones} if zones else {}))


LOOK_UPS: Mapping[str, LookUp] = {
    "image": _image,
    "purchase plan": _terms,
    "network": _resource("network"),
    "subnet": _subnet,
    "private DNS zone": _resource("DNS zone"),
    "reservation": _reservation,
    "identity": _resource("identity"),
    "disk encryption set": _resource("encryption set"),
    "key vault": _resource("vault"),
    "resource group": _resource("resource group"),
    "storage account": _resource("storage account"),
}
"""Maps each kind of thing to the function that looks it up."""
