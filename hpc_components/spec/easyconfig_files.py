"""Adds the files of a folder of easyconfigs (`software.easybuild.easyconfigs`) to a description."""

from collections.abc import Callable, Mapping

from hpc_components.spec.findings import Path
from hpc_components.spec.source import Document, UnreadableError

FOLDER: Path = ("software", "easybuild", "easyconfigs")


def with_easyconfigs(document: Document, read: Callable[[str], Mapping[str, str]]) -> Document:
    """Return a description in which the files of the folder stand under `files`, and `easyconfigs` is gone.

    `read` takes a path from the description, and returns the texts of the folder's files, keyed by name; it raises
    UnreadableError for an unreadable folder. Raise UnreadableError for a file that the description has too. A folder
    that is not a string is left to the description's other checks.
    """
    folder, own = _easybuild(document).get("easyconfigs"), _easybuild(document).get("files", {})
    if not isinstance(folder, str) or not isinstance(own, Mapping):
        return document
    found = read(folder)
    for name in found:
        if name in own:
            reason = f"software.easybuild.files has {name} too, which is in {folder}; remove one of the two"
            raise UnreadableError(reason, document.file, document.position(FOLDER))
    left = {key: value for key, value in _easybuild(document).items() if key != "easyconfigs"}
    built = left | {"files": {**own, **found}}
    return document.with_data(document.data | {"software": document.data["software"] | {"easybuild": built}})


def _easybuild(document: Document) -> dict:
    data = document.data
    for key in FOLDER[:-1]:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}
