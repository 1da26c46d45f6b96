from collections.abc import Iterator

from hpc_components.preview.files import USER_DATA, asset_text, decoded
from hpc_components.preview.resources import Resource


def texts(resource: Resource) -> Iterator[tuple[str, str]]:
    if resource.kind in ("BucketObject", "BucketObjectv2"):
        key = resource.text("key") or resource.name
        contents = (resource.text("content"), asset_text(resource.inputs.get("source")))
        yield from ((key, content) for content in contents if content is not None)
    for name in ("userData", "userDataBase64"):
        value = resource.text(name)
        content = decoded(value) if value else None
        if content:
            yield USER_DATA, content
