from collections.abc import Iterator

from hpc_components.preview.files import USER_DATA, asset_text, decoded
from hpc_components.preview.nested import text_at
from hpc_components.preview.resources import Resource

_CUSTOM_DATA = ("osProfile.customData", "virtualMachineProfile.osProfile.customData")


def texts(resource: Resource) -> Iterator[tuple[str, str]]:
    if resource.type == "azure-native:storage:Blob":
        content = asset_text(resource.inputs.get("source"))
        if content is not None:
            yield resource.text("blobName") or resource.name, content
    for path in _CUSTOM_DATA:
        value = text_at(resource.inputs, path)
        content = decoded(value) if value else None
        if content:
            yield USER_DATA, content
