"""Looks up the model or type declared for a path in a description, and describes types in words."""

import types
from collections.abc import Mapping
from functools import cache
from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Any, Literal, TypeGuard, Union, get_args, get_origin

from hpc_components.attribute_docs import attribute_docs
from hpc_components.spec.findings import Path
from hpc_components.spec.model import Model
from hpc_components.spec.values import Day, Duration, Size

_MAPPINGS = (dict, Mapping)
"""Types of values that are keyed by name."""


def type_at(model: type[Model], data: Any, path: Path) -> Any:
    """Return the type that `model` declares for `path`, or None if nothing is allowed there. If a type is a union,
    `data`, which is the description as parsed, determines which member applies.
    """
    here: Any = model
    for part in path:
        here = _selected(here, data)
        if _is_model(here):
            field = here.model_fields.get(str(part))
            here = field.rebuild_annotation() if field else None
        elif get_origin(here) is tuple:
            here = get_args(here)[0]
        elif get_origin(here) in _MAPPINGS:
            here = get_args(here)[1]
        else:
            return None
        data = value_at(data, (part,))
    return here


def model_at(model: type[Model], data: Any, path: Path) -> type[Model] | None:
    """Return the model that the value at `path` is read as, or None if it is not read as a model."""
    found = _selected(type_at(model, data, path), value_at(data, path))
    return found if _is_model(found) else None


def value_at(data: Any, path: Path) -> Any:
    for part in path:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _is_model(annotation: Any) -> TypeGuard[type[Model]]:
    return isinstance(annotation, type) and issubclass(annotation, Model)


def _selected(annotation: Any, data: Any) -> Any:
    """Return `annotation` without metadata. For a union, return the member that `data` is read as.

    A mapping is read as the first model that fits. If no model fits, return the union's only model, or None if the
    union has several models. Any other value is read as the first member that is not NoneType.
    """
    if get_origin(annotation) is Annotated:
        return _selected(get_args(annotation)[0], data)
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation
    members = [_selected(member, data) for member in get_args(annotation) if member is not types.NoneType]
    models = [member for member in members if _is_model(member)]
    if isinstance(data, Mapping) and models:
        return next((model for model in models if _fits(model, data)), models[0] if len(models) == 1 else None)
    return members[0]


def _fits(model: type[Model], data: Mapping[str, Any]) -> bool:
    """Return whether a mapping can be read as `model`.

    If the model has a `type` field, the mapping's `type` must match. Otherwise, the mapping must be empty or contain
    one of the model's keys.
    """
    kind = model.model_fields.get("type")
    if kind is not None:
        return data.get("type") in get_args(kind.annotation)
    return not data or any(key in model.model_fields for key in data)


_PLACEHOLDERS: dict[Any, Any] = {
    str: "", int: 1, float: 1.0, bool: False,
    Size: "1GiB", Duration: "1d", Day: "2027-01-01", IPv4Network: "192.0.2.0/24", IPv4Address: "192.0.2.1",
}  # fmt: skip


def placeholder(annotation: Any) -> Any:
    """Return a valid placeholder for a required value that couldn't be parsed."""
    chosen = _selected(annotation, {})
    if get_origin(chosen) is Literal:
        return get_args(chosen)[0]
    if get_origin(chosen) is tuple:
        return []
    return _PLACEHOLDERS.get(chosen, {})


_WORDS: dict[Any, str] = {
    str: "text", int: "a whole number", float: "a number", bool: "true or false",
    Size: "a size like 100GiB", Duration: "a duration like 10m", Day: "a day like 2027-09-30",
    IPv4Network: "an address range like 10.20.0.0/16", IPv4Address: "an address like 10.20.32.20",
}  # fmt: skip


def describe(annotation: Any) -> str:
    """Return a value's type in words, e.g. `a whole number` or `one of cluster, spread`."""
    options = _options(annotation)
    words = [_WORDS[option] for option in options if option in _WORDS]
    if names := literals(annotation):
        words.append(f"one of {', '.join(names)}")
    if models := [option for option in options if _is_model(option)]:
        kinds = type_words(annotation)
        keys = [f"type: {' or '.join(kinds)}"] if kinds else [_needed(model) for model in models]
        words.append(f"a mapping with {' or '.join(keys)}")
    if any(get_origin(option) is tuple for option in options):
        words.append("a list")
    return " or ".join(words) or "a mapping"


def _needed(model: type[Model]) -> str:
    required = [name for name, field in model.model_fields.items() if field.is_required()]
    return ", ".join(required) or f"{', '.join(list(model.model_fields)[:3])} ..."


def literals(annotation: Any) -> list[str]:
    found = [option for option in _options(annotation) if get_origin(option) is Literal]
    return [str(value) for option in found for value in get_args(option)]


def type_words(annotation: Any) -> list[str]:
    """Return the `type` values that select a model in `annotation`. The list is empty if no model has a required
    `type` field.
    """
    kinds = [model.model_fields["type"] for model in _options(annotation) if _has_type_key(model)]
    return [str(value) for kind in kinds for value in get_args(kind.annotation)]


def _has_type_key(option: Any) -> TypeGuard[type[Model]]:
    return _is_model(option) and "type" in option.model_fields and option.model_fields["type"].is_required()


def _options(annotation: Any) -> list[Any]:
    if get_origin(annotation) in (Annotated, Union, types.UnionType):
        return [option for part in _members(annotation) for option in _options(part)]
    return [annotation]


def _members(annotation: Any) -> tuple[Any, ...]:
    """Return the types inside a union, list, mapping or annotated type, or an empty tuple for a plain type."""
    if get_origin(annotation) is Annotated:
        return (get_args(annotation)[0],)
    if get_origin(annotation) is Literal:
        return ()
    return tuple(part for part in get_args(annotation) if part not in (types.NoneType, ...))


def models_in(annotation: Any) -> list[type[Model]]:
    """Return all models that a value of this type can be or contain, in declaration order."""
    if _is_model(annotation):
        return [annotation]
    return [model for part in _members(annotation) for model in models_in(part)]


def type_name(annotation: Any) -> str:
    """Return a type's name for the reference pages, e.g. `list of size`, `cluster or none` or `Lustre or Nfs`."""
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{value}`" for value in get_args(annotation))
    names = list(dict.fromkeys(type_name(part) for part in _members(annotation)))
    if get_origin(annotation) is tuple:
        return f"list of {names[0]}"
    if get_origin(annotation) in _MAPPINGS:
        return f"mapping of {names[-1]} by name"
    if names:
        return " or ".join(names)
    words = {str: "text", int: "number", float: "number", bool: "`true` or `false`", IPv4Network: "address range"}
    return words.get(annotation, {IPv4Address: "address"}.get(annotation, annotation.__name__))


@cache
def field_docs(model: type[Model]) -> dict[str, str]:
    docs: dict[str, str] = {}
    for owner in reversed(model.__mro__):
        if issubclass(owner, Model) and owner is not Model:
            docs |= attribute_docs(owner)
    return docs
