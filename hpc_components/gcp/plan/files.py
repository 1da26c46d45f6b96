from collections.abc import Iterator

from hpc_components.preview.files import USER_DATA, asset_text, decoded
from hpc_components.preview.resources import SECRET, UNKNOWN, Resource

_OBJECT = "gcp:storage/bucketObject:BucketObject"
_AT_BOOT = ("user-data", "startup-script")
"""Metadata keys of boot scripts. Source: Compute Engine documentation, "Set startup scripts"; cloud-init, GCE."""


def texts(resource: Resource) -> Iterator[tuple[str, str]]:
    if resource.type == _OBJECT:
        content = resource.text("content") or asset_text(resource.inputs.get("source"))
        if content is not None:
            yield resource.text("name") or resource.name, content
    metadata = resource.inputs.get("metadata")
    found = [metadata.get(key) for key in _AT_BOOT] if isinstance(metadata, dict) else []
    for value in (*found, resource.inputs.get("metadataStartupScript")):
        content = decoded(value) if isinstance(value, str) and value not in (SECRET, UNKNOWN) else None
        if content:
            yield USER_DATA, content
