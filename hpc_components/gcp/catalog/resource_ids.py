import re
from collections.abc import Mapping
from typing import Literal

IdKind = Literal[
    "network", "subnet", "image", "image_family", "secret", "secret_version", "reservation", "kms_key",
    "resource_policy", "service_account", "billing_account", "topic",
]  # fmt: skip

_PROJECT = r"(?P<project>\d+|(?:[a-z][a-z0-9.-]*:)?[a-z][a-z0-9-]{4,28}[a-z0-9])"
"""A project number or id. Older ids have a domain as a prefix."""
_NAME = r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?"
_PLACE = r"[a-z]+-[a-z]+\d+"
_FORMS: dict[IdKind, tuple[str, str, str]] = {
    "network": ("a network", "projects/<project>/global/networks/<name>", rf"global/networks/(?P<name>{_NAME})"),
    "subnet": (
        "a subnet",
        "projects/<project>/regions/<region>/subnetworks/<name>",
        rf"regions/(?P<region>{_PLACE})/subnetworks/(?P<name>{_NAME})",
    ),
    "image": ("an image", "projects/<project>/global/images/<name>", rf"global/images/(?P<name>{_NAME})"),
    "image_family": (
        "an image family",
        "projects/<project>/global/images/family/<name>",
        rf"global/images/family/(?P<name>{_NAME})",
    ),
    "secret": ("a secret", "projects/<project>/secrets/<name>", r"secrets/(?P<name>[\w-]{1,255})"),
    "secret_version": (
        "a secret version",
        "projects/<project>/secrets/<name>/versions/<number, or latest>",
        r"secrets/(?P<name>[\w-]{1,255})/versions/(?P<version>[1-9]\d*|latest)",
    ),
    "topic": (
        "a Pub/Sub topic",
        "projects/<project>/topics/<name>",
        # Source: Pub/Sub documentation, "Guidelines to name a topic, subscription, schema, or snapshot"
        r"topics/(?P<name>(?!goog)[a-zA-Z][\w.~+%-]{2,254})",
    ),
    "reservation": (
        "a reservation",
        "projects/<project>/reservations/<name>",
        rf"reservations/(?P<name>{_NAME})(?:/reservationBlocks/(?P<block>{_NAME})"
        rf"(?:/reservationSubBlocks/(?P<sub_block>{_NAME}))?)?",
    ),
    "kms_key": (
        "a key",
        "projects/<project>/locations/<region>/keyRings/<ring>/cryptoKeys/<name>",
        r"locations/(?P<region>[a-z0-9-]+)/keyRings/(?P<ring>[\w-]{1,63})/cryptoKeys/(?P<name>[\w-]{1,63})",
    ),
    "resource_policy": (
        "a resource policy",
        "projects/<project>/regions/<region>/resourcePolicies/<name>",
        rf"regions/(?P<region>{_PLACE})/resourcePolicies/(?P<name>{_NAME})",
    ),
}
_WHOLE: dict[IdKind, tuple[str, str, str]] = {
    "service_account": (
        "a service account email",
        "<name>@<project>.iam.gserviceaccount.com",
        r"(?P<name>[a-z0-9-]+)@(?P<project>[a-z0-9.-]+)\.gserviceaccount\.com",
    ),
    "billing_account": (
        "a billing account id",
        "012345-6789AB-CDEF01",
        r"(?P<name>[0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6})",
    ),
}


def id_parts(kind: IdKind, id: str) -> Mapping[str, str] | None:
    """Return the parts of an id, keyed by name (`project`, `region`, `name` and so on), or None if the id is
    invalid.
    """
    pattern = _WHOLE[kind][2] if kind in _WHOLE else f"projects/{_PROJECT}/{_FORMS[kind][2]}"
    match = re.fullmatch(pattern, id)
    return {part: text for part, text in match.groupdict().items() if text} if match else None


def id_form(kind: IdKind) -> tuple[str, str]:
    title, form, _ = (_WHOLE if kind in _WHOLE else _FORMS)[kind]
    return title, form


def without_host(id: str) -> str:
    """Strip the scheme, host and API version from a URL such as
    `https://www.googleapis.com/compute/v1/projects/...`.
    """
    return re.sub(r"^(?:https:)?//[^/]+/(?:compute/)?(?:v1|beta|alpha)?/?(?=projects/)", "", id)


def wrong_id(kind: IdKind, id: str, region: str | None = None) -> tuple[str, str] | None:
    """Return a reason and a remedy if `id` is not a valid id of this kind, or is in a region other than `region`.

    If `id` is a URL such as `https://www.googleapis.com/compute/v1/projects/...`, the remedy is the id in that URL.
    """
    title, form, _ = (_WHOLE if kind in _WHOLE else _FORMS)[kind]
    parts = id_parts(kind, id)
    if parts is None:
        short = without_host(id)
        if short != id and id_parts(kind, short):
            return f"{id!r} is the URL of {title}", f"write {short}"
        return f"{id!r} is not {title if kind in _WHOLE else f'the id of {title}'}", f"write {form}"
    found = parts.get("region")
    if region is not None and found is not None and found not in (region, "global"):
        return f"{title} in {found} can't be used in {region}", f"use one in {region}"
    return None
