import re
from collections.abc import Sequence
from functools import partial

from pulumi import Input

from hpc_components import node_checks
from hpc_components.gcp.catalog.images import image_reference
from hpc_components.gcp.catalog.labels import label_key
from hpc_components.gcp.catalog.limits import service_limit
from hpc_components.gcp.catalog.names import wrong_name
from hpc_components.gcp.tags import Tags

_ZONE = re.compile(r"([a-z]+-[a-z]+\d+)-[a-z]")


check_machine = partial(
    node_checks.check_machine,
    cloud="gcp",
    noun="a Google Cloud machine type",
    listed="`gcloud compute machine-types list`",
)


def check_image(path: str, image: Input[str]) -> None:
    if isinstance(image, str) and image_reference(image) is None:
        raise ValueError(
            f"{path}: {image!r} is not an image reference; write projects/<project>/global/images/<name>, or "
            ".../images/family/<name>"
        )


def check_user_data(path: str, text: str) -> None:
    node_checks.check_user_data(path, text, most=service_limit("metadata.value_bytes"), service="Google")


def check_name(path: str, name: str, *, end: str = "") -> None:
    if wrong := wrong_name("resource", name) or wrong_name("resource", name + end):
        raise ValueError(f"{path}: {wrong[0]}; {wrong[1]}")


def check_tags(path: str, tags: Tags) -> None:
    """Refuse tags that would become the same label, and keys that don't begin with a letter.

    Other invalid characters are replaced.
    """
    seen: dict[str, str] = {}
    for key in tags.extra:
        if not key[:1].isalpha():
            raise ValueError(f"{path}.extra: {key!r} can't be a label key; use a key that begins with a letter")
        if other := seen.get(label_key(key)):
            raise ValueError(
                f"{path}.extra: {other!r} and {key!r} would both become the label {label_key(key)}; remove one of "
                "them"
            )
        seen[label_key(key)] = key


def region_of_zones(path: str, zones: Sequence[str]) -> str:
    """Return the region of the zones. Refuse invalid zone names, duplicates, and zones from different regions."""
    region = ""
    for at, zone in node_checks.distinct(path, zones, "one zone"):
        found = _ZONE.fullmatch(zone)
        if found is None:
            raise ValueError(f"{at}: {zone!r} is not a zone; use a zone such as us-central1-a")
        if region and found[1] != region:
            raise ValueError(
                f"{at}: {zone!r} is not in {region}, the region of the other zones; use zones in one region, "
                "because subnets can't span regions"
            )
        region = found[1]
    return region
