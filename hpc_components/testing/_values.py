"""Handles property values in the engine's format: protobuf structs, which can contain unknown values and secrets."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from google.protobuf.json_format import MessageToDict

from hpc_components.preview.recorder.wire import Struct

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""Pulumi's placeholder for an unknown value.

Source: sdk/go/common/resource/plugin/rpc.go in Pulumi's repository.
"""

_SIGNATURE = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"


def from_struct(struct: Any) -> dict[str, Any]:
    """Convert a protobuf struct to a dict. All numbers become floats."""
    return MessageToDict(struct)


def to_struct(value: Mapping[str, Any]) -> Any:
    struct = Struct()
    struct.update(dict(value))
    return struct


def open_secrets(value: Any) -> Any:
    """Return `value` with every secret replaced by its plain text. Use the result only for comparisons and lookups;
    never store or show it.
    """
    return _without_secrets(value, lambda secret: open_secrets(secret.get("value")))


def redact(value: Any) -> Any:
    return _without_secrets(value, lambda secret: "<secret>")


def has_unknowns(value: Any) -> bool:
    return mentions(value, UNKNOWN)


def mentions(value: Any, text: str) -> bool:
    """Return whether any string nested in `value` equals `text`."""
    return mentions_any(value, lambda leaf: leaf == text)


def mentions_any(value: Any, wanted: Callable[[str], bool]) -> bool:
    """Return whether any string nested in `value`, including secrets, satisfies `wanted`."""
    return any(wanted(leaf) for leaf in _leaves(open_secrets(value)) if isinstance(leaf, str))


def _without_secrets(value: Any, replace: Any) -> Any:
    if isinstance(value, Mapping):
        if value.get(_SIGNATURE) == _SECRET:
            return replace(value)
        return {key: _without_secrets(each, replace) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_secrets(each, replace) for each in value]
    return value


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if not isinstance(value, list):
        yield value
        return
    for each in value:
        yield from _leaves(each)
