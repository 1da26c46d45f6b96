"""Provides stand-in ids and outputs, so that a program runs as in an update, with all values known."""

import enum
import hashlib
import typing
from collections.abc import Mapping, Sequence
from typing import Any

from hpc_components.preview.clouds import reader_of_type
from hpc_components.preview.recorder.sdk_types import is_output_class, output_types, resource_class
from hpc_components.preview.resources import STANDIN

_OUTPUT_LEVELS = 4
"""Maximum nesting depth of output objects, which is limited because some SDK types are recursive. Deeper objects are
None."""


def standin_id(urn: str) -> str:
    return f"{STANDIN}{urn.rpartition('::')[2]}-{_number(urn):08x}"


def standin_outputs(urn: str, type: str) -> dict[str, Any]:
    """Return a value of the right type for every output declared in the resource class. Values are the same in every
    run.
    """
    cls = resource_class(type)
    if cls is None:
        return {}
    return {name: _value(hint, urn, name, 0) for name, hint in output_types(cls).items() if name not in ("id", "urn")}


def _value(hint: Any, urn: str, name: str, depth: int) -> Any:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Union and inner:
        return _value(next(each for each in inner if each is not type(None)), urn, name, depth)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        element = _value(inner[0], urn, name, depth + 1) if inner else None
        return [] if element is None else [element]
    if hint is Any or hint is dict or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return {}
    if not isinstance(hint, type):
        return None
    if issubclass(hint, enum.Enum):
        return next(iter(hint)).value
    if is_output_class(hint):
        return _object(hint, urn, depth)
    return _plain(hint, urn, name)


def _object(hint: type, urn: str, depth: int) -> Any:
    if depth >= _OUTPUT_LEVELS:
        return None
    return {name: _value(each, urn, name, depth + 1) for name, each in output_types(hint).items()}


def _plain(hint: type, urn: str, name: str) -> Any:
    if issubclass(hint, str):
        return _text(urn, name)
    if issubclass(hint, bool):
        return False
    return hint(1) if issubclass(hint, int | float) else None


def _text(urn: str, name: str) -> str:
    number = _number(urn)
    if own := reader_of_type(urn.split("::")[2].rpartition("$")[2]).standin_text(standin_id(urn), name):
        return own
    if name.endswith(("Ip", "ipAddress", "IpAddress")):
        return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    return f"{standin_id(urn)}.{name}"


def _number(urn: str) -> int:
    return int.from_bytes(hashlib.sha256(urn.encode()).digest()[:4])
