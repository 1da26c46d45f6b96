"""Property values as the engine sends them: unknowns, secrets, and the protobuf structs around them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from google.protobuf.json_format import MessageToDict

from hpc_components.preview.recorder.wire import Struct

__all__ = [
    "UNKNOWN",
    "from_struct",
    "has_unknowns",
    "mentions",
    "mentions_any",
    "open_secrets",
    "redact",
    "to_struct",
]


UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""Pulumi's mark for a value that is not known yet: sdk/go/common/resource/plugin/rpc.go in its repository."""

_SIGNATURE = "4dabf18193072939515e22adb298388d"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"


def from_struct(struct: Any) -> dict[str, Any]:
    """The plain Python value of a protobuf struct. Every number is a float, as on the wire."""
    return MessageToDict(struct)


def to_struct(value: Mapping[str, Any]) -> Any:
    """The protobuf struct of a plain Python value."""
    struct = Struct()
    struct.update(dict(value))
    return struct


def open_secrets(value: Any) -> Any:
    """`value` with every secret replaced by what is in it: to compare and look up, never to store or show."""
    return _without_secrets(value, lambda secret: open_secrets(secret.get("value")))


def redact(value: Any) -> Any:
    """`value` with every secret replaced by `<secret>`, for the journal."""
    return _without_secrets(value, lambda secret: "<secret>")


def has_unknowns(value: Any) -> bool:
    """Is any part of `value` not known yet?"""
    return mentions(value, UNKNOWN)


def mentions(value: Any, text: str) -> bool:
    """Is any text inside `value` equal to `text`?"""
    return mentions_any(value, lambda leaf: leaf == text)


def mentions_any(value: Any, wanted: Callable[[str], bool]) -> bool:
    """Is any text inside `value` one that is wanted?"""
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
