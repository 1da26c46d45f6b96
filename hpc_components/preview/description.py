from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from hpc_components.preview.resources import SECRET
from hpc_components.spec.findings import Path, dotted
from hpc_components.spec.source import Document


def described(document: Document) -> dict[str, Any]:
    """Return the value of `hpc:cluster` and its line numbers, in plain JSON types.

    `value` is the mapping as written, with `<secret>` in place of encrypted values. `lines` maps the dotted path of
    each key and list item to its line number, counted from 1, e.g. `{"queues[1].max": 17}`.
    """
    lines = {dotted(path): position.line for path, position in document.keys.items() if path}
    return {"value": _readable(document.data), "lines": lines}


def _is_encrypted(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"secure"}


def encrypted(config: Mapping[str, Any]) -> dict[str, str]:
    """Map the path of each encrypted value in a stack's configuration to the SHA-256 hash of its ciphertext.

    A hash shows whether a value has been re-encrypted, but reveals nothing about the value itself.
    """
    return dict(_encrypted((), config))


def _encrypted(path: Path, value: Any) -> Iterator[tuple[str, str]]:
    if _is_encrypted(value):
        yield dotted(path), sha256(str(value["secure"]).encode()).hexdigest()
    elif isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _encrypted((*path, key), each)


def _readable(value: Any) -> Any:
    if _is_encrypted(value):
        return SECRET
    if isinstance(value, dict):
        return {key: _readable(each) for key, each in value.items()}
    return [_readable(each) for each in value] if isinstance(value, list) else value
