"""Looks up what a description names in Google Cloud. Each function returns None if it doesn't exist."""

from collections.abc import Callable, Mapping
from typing import Any

from hpc_components.gcp.catalog.resource_ids import id_parts, without_host
from hpc_components.preflight.account import NotPermittedError, Seen
from hpc_components.preflight.rest import RestReader
from hpc_components.spec.findings import Level

LookUp = Callable[[RestReader, str], Seen | None]


def _image(reader: RestReader, id: str) -> Seen | None:
    found = reader.read("image family" if "/images/family/" in id else "image", id=id)
    if found is None:
        return None
    status, state = found.get("status", "READY"), found.get("deprecated", {}).get("state", "ACTIVE")
    facts = {"architecture": found["architecture"]} if "architecture" in found else {}
    if status != "READY":
        return Seen(problem=f"its status is {status}", facts=facts)
    if state != "ACTIVE":
        level = Level.WARNING if state == "DEPRECATED" else None
        return Seen(problem=f"it is {state.lower()}", level=level, facts=facts)
    return Seen(facts=facts)


def _network(reader: RestReader, id: str) -> Seen | None:
    return None if reader.read("network", id=id) is None else Seen()


def _subnet(reader: RestReader, id: str) -> Seen | None:
    found = reader.read("subnet", id=id)
    if found is None:
        return None
    facts = {"range": found["ipCidrRange"], "network": without_host(found["network"])}
    return Seen(
        problem="" if found.get("state", "READY") == "READY" else f"its state is {found['state']}", facts=facts
    )


def _reservation(reader: RestReader, id: str) -> Seen | None:
    """Find a reservation in whatever zone it is, because its id does not contain the zone."""
    parts = id_parts("reservation", id)
    if parts is None:
        return None
    query = {"filter": f'name = "{parts["name"]}"'}
    for page in reader.pages("reservations", query, project=parts["project"]):
        for place, listed in page.get("items", {}).items():
            for each in listed.get("reservations", ()):
                if each["name"] == parts["name"]:
                    return _reserved(each, place.removeprefix("zones/"))
    return None


def _reserved(found: Mapping[str, Any], zone: str) -> Seen:
    specific = found.get("specificReservation", {})
    facts = {
        "zone": zone,
        "machine type": specific.get("instanceProperties", {}).get("machineType"),
        "number of machines": int(specific["count"]) if "count" in specific else None,
    }
    status = found.get("status", "READY")
    return Seen(
        problem="" if status == "READY" else f"its status is {status}",
        level=Level.WARNING if status in ("CREATING", "UPDATING") else None,
        facts={name: value for name, value in facts.items() if value is not None},
    )


def _bucket(reader: RestReader, name: str) -> Seen | None:
    try:
        found = reader.read("bucket", bucket=name)
    except NotPermittedError as error:
        return Seen(problem=f"it exists, but the caller may not read it ({error.permission})", level=Level.WARNING)
    if found is None:
        return None
    # buckets in two or more regions are near all of them
    return Seen(facts={"region": found["location"].lower()} if found.get("locationType") == "region" else {})


def _service_account(reader: RestReader, email: str) -> Seen | None:
    found = reader.read("service account", email=email.removeprefix("serviceAccount:"))
    return None if found is None else Seen(problem="it is disabled" if found.get("disabled") else "")


def _secret(reader: RestReader, id: str) -> Seen | None:
    found = reader.read("secret", id=id)
    if found is None:
        return None
    state = found.get("state", "ENABLED")
    return Seen(problem="" if state == "ENABLED" else f"its state is {state}")


def _encryption_key(reader: RestReader, id: str) -> Seen | None:
    found = reader.read("encryption key", id=id)
    if found is None:
        return None
    state = found.get("primary", {}).get("state", "missing")
    return Seen(problem="" if state == "ENABLED" else f"the state of its primary version is {state}")


def _billing_account(reader: RestReader, id: str) -> Seen | None:
    found = reader.read("billing account", id=id)
    return None if found is None else Seen(problem="" if found.get("open") else "it is closed")


LOOK_UPS: Mapping[str, LookUp] = {
    "image": _image,
    "network": _network,
    "subnet": _subnet,
    "reservation": _reservation,
    "bucket": _bucket,
    "service account": _service_account,
    "secret": _secret,
    "encryption key": _encryption_key,
    "billing account": _billing_account,
}
"""Maps each kind of thing to the function that looks it up."""
