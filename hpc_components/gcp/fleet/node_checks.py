"""Checks on the arguments of Google Cloud nodes."""

import re
from collections.abc import Sequence
from functools import partial

from hpc_components import node_checks
from hpc_components.gcp.catalog.labels import label_key
from hpc_components.gcp.catalog.limits import service_limit
from hpc_components.gcp.catalog.names import wrong_name
from hpc_components.gcp.images.offer import image_reference
from hpc_components.gcp.tags import Tags

_ZONE = re.compile(r"([a-z]+-[a-z]+\d+)-[a-z]")


check_machine = partial(
    node_checks.check_machine,
    cloud="gcp",
    noun="a machine type of Google Cloud",
    listed="`gcloud compute machine-types list`",
)


def check_image(path: str, image: str) -> None:
    """Refuse a text that is not an image id."""
    if image_reference(image) is None:
        raise ValueError(
            f"{path}: {image!r} is not an image; write projects/<project>/global/images/<name>, or"
            " .../images/family/<name>"
        )


def check_user_data(path: str, text: str) -> None:
    """Refuse user data that is longer than Google's limit."""
    node_checks.check_user_data(path, text, most=service_limit("metadata.value_bytes"), service="Google")


def check_name(path: str, name: str, *, end: str = "") -> None:
    """Refuse a name that is not valid for a Compute Engine resource, either alone or followed by `end`."""
    if wrong := wrong_name("resource", name) or wrong_name("resource", name + end):
        raise ValueError(f"{path}: {wrong[0]}; {wrong[1]}")


def check_tags(path: str, tags: Tags) -> None:
    """Refuse tags that become the same label, or that can't become one. Invalid characters are just replaced."""
    seen: dict[str, str] = {}
    for key in tags.extra:
        if not key[:1].isalpha():
            raise ValueError(f"{path}.extra: {key!r} can't be the key of a label; begin it with a letter")
        if other := seen.get(label_key(key)):
            raise ValueError(f"{path}.extra: {other!r} and {key!r} become one label, {label_key(key)}; remove one")
        seen[label_key(key)] = key


def region_of_zones(path: str, zones: Sequence[str]) -> str:
    """Return the zones' region. Refuse texts that are not zones, duplicates, and zones in more than one region."""
    region = ""
    for at, zone in node_checks.distinct(path, zones, "one zone"):
        found = _ZONE.fullmatch(zone)
        if found is None:
            raise ValueError(f"{at}: {zone!r} is not a zone; write one like us-central1-a")
        if region and found[1] != region:
            raise ValueError(
                f"{at}: {zone!r} is not in {region}, where the other zones are; subnets are of one region"
            )
        region = found[1]
    return region
