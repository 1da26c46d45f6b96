"""Inputs as outputs: most providers answer with what they were given, but some properties change their form."""

import typing
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any

from hpc_components.preview.recorder.sdk_types import is_output_class, output_types, resource_class

__all__ = ["drop_misfits"]


def drop_misfits(outputs: Any, type: str) -> None:
    """Remove the outputs that have not the form that the resource's class declares.

    `outputs` is a `Struct` of inputs. Azure takes a machine's identities as a list of ids and answers with a mapping,
    for one; the SDK then fails to read the answer. Without it, the output is unknown, or a stand-in.
    """
    cls = resource_class(type)
    if cls is None:
        return
    hints = output_types(cls)
    for name in [name for name, value in outputs.fields.items() if name in hints and not _fits(hints[name], value)]:
        del outputs.fields[name]


def _fits(hint: Any, value: Any) -> bool:
    kind = value.WhichOneof("kind")
    if kind not in ("list_value", "struct_value"):
        return True
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Union:
        return any(_fits(each, value) for each in inner if each is not NoneType)
    if kind == "list_value":
        if _is_a(origin, Sequence):
            return all(_fits(inner[0], each) for each in value.list_value.values) if inner else True
        return not _is_a(origin, Mapping)
    if isinstance(hint, type) and is_output_class(hint):
        types, fields = output_types(hint), value.struct_value.fields
        return all(_fits(types[name], each) for name, each in fields.items() if name in types)
    return True


def _is_a(origin: Any, abstract: type) -> bool:
    return isinstance(origin, type) and issubclass(origin, abstract)
