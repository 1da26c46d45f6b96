"""Reads the files of a description's own scripts (`scripts.*.file`)."""

from collections.abc import Callable, Mapping
from typing import Any

from hpc_components.spec.source import Document


def with_script_files(document: Document, read: Callable[[str], tuple[str, str]]) -> Document:
    """Return a description in which each script has its text instead of the name of its file.

    `read` takes a path from the description, and returns the file's text and its name for messages; it raises
    UnreadableError for an unreadable file. Scripts that are malformed, or that also have a text or an address, are
    left to the description's other checks.
    """
    scripts = document.data.get("scripts") if isinstance(document.data, dict) else None
    if not isinstance(scripts, Mapping):
        return document
    read_in = {name: _with_text(script, read) for name, script in scripts.items()}
    return document if read_in == scripts else document.with_data(document.data | {"scripts": read_in})


def _with_text(script: Any, read: Callable[[str], tuple[str, str]]) -> Any:
    if not isinstance(script, Mapping) or not isinstance(script.get("file"), str):
        return script
    if script.get("text") is not None or script.get("address") is not None:
        return script
    text, _ = read(script["file"])
    return {key: value for key, value in script.items() if key != "file"} | {"text": text}
