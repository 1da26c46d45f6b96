"""Which model and which type the models declare for a path of a description, and how to say that in words."""

import types
from collections.abc import Mapping
from functools import cache
from ipaddress import IPv4Address, IPv4Network
from typing import Annotated, Any, Literal, TypeGuard, Union, get_args, get_origin

from hpc_components.attribute_docs import attribute_docs
from hpc_components.spec.findings import Path
from hpc_components.spec.model import Model
from hpc_components.spec.values import Duration, Size

__all__ = [
    "describe", "field_docs", "literals", "model_at", "models_in", "placeholder", "type_at",
    "type_name", "type_words", "value_at",
]  # fmt: skip


def type_at(model: type[Model], data: Any, path: Path) -> Any:
    """The type of what stands at `path` in `data`, a description of `model`; None if nothing may stand there."""
    here: Any = model
    for part in path:
        here = _selected(here, data)
        if _is_model(here):
            field = here.model_fields.get(str(part))
            here = field.rebuild_annotation() if field else None
        elif get_origin(here) is tuple:
            here = get_args(here)[0]
        elif get_origin(here) is dict:
            here = get_args(here)[1]
        else:
            return None
        data = value_at(data, (part,))
    return here


def model_at(model: type[Model], data: Any, path: Path) -> type[Model] | None:
    """The model of the mapping at `path`, chosen by its `type` where several may stand there."""
    found = _selected(type_at(model, data, path), value_at(data, path))
    return found if _is_model(found) else None


def value_at(data: Any, path: Path) -> Any:
    """What stands at `path` in `data`; None if nothing does."""
    for part in path:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _is_model(annotation: Any) -> TypeGuard[type[Model]]:
    return isinstance(annotation, type) and issubclass(annotation, Model)


def _selected(annotation: Any, data: Any) -> Any:
    """`annotation` without metadata, and of a union the one member that `data` is read as; never `None`.

    A mapping is read as the model that has its `type` or one of its keys, or else as the only model there is.
    Any other value is read as the first member.
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
    """Whether a mapping is read as `model`: by its `type`, or else if it is empty or has one of the keys."""
    kind = model.model_fields.get("type")
    if kind is not None:
        return data.get("type") in get_args(kind.annotation)
    return not data or any(key in model.model_fields for key in data)


_PLACEHOLDERS: dict[Any, Any] = {
    str: "", int: 1, float: 1.0, bool: False,
    Size: "1GiB", Duration: "1d", IPv4Network: "192.0.2.0/24", IPv4Address: "192.0.2.1",
}  # fmt: skip


def placeholder(annotation: Any) -> Any:
    """Something valid to stand in for a required value that could not be understood."""
    chosen = _selected(annotation, {})
    if get_origin(chosen) is Literal:
        return get_args(chosen)[0]
    if get_origin(chosen) is tuple:
        return []
    return _PLACEHOLDERS.get(chosen, {})


_WORDS: dict[Any, str] = {
    str: "text", int: "a whole number", float: "a number", bool: "true or false",
    Size: "a size like 100GiB", Duration: "a duration like 10m",
    IPv4Network: "an address range like 10.20.0.0/16", IPv4Address: "an address like 10.20.32.20",
}  # fmt: skip


def describe(annotation: Any) -> str:
    """What a value of this type is, in words: `a whole number`, `one of cluster, spread`."""
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
    """The allowed words, where only certain words are allowed; else empty."""
    found = [option for option in _options(annotation) if get_origin(option) is Literal]
    return [str(value) for option in found for value in get_args(option)]


def type_words(annotation: Any) -> list[str]:
    """The allowed values of `type`, where it tells one model from another."""
    kinds = [model.model_fields["type"] for model in _options(annotation) if _has_type_key(model)]
    return [str(value) for kind in kinds for value in get_args(kind.annotation)]


def _has_type_key(option: Any) -> TypeGuard[type[Model]]:
    """Whether it is a model that is told from others by a required `type`."""
    return _is_model(option) and "type" in option.model_fields and option.model_fields["type"].is_required()


def _options(annotation: Any) -> list[Any]:
    """The types of which a value may be, without `None` and metadata."""
    if get_origin(annotation) in (Annotated, Union, types.UnionType):
        return [option for part in _members(annotation) for option in _options(part)]
    return [annotation]


def _members(annotation: Any) -> tuple[Any, ...]:
    """The types inside a union, list, mapping or annotated type; empty for a plain type."""
    if get_origin(annotation) is Annotated:
        return (get_args(annotation)[0],)
    if get_origin(annotation) is Literal:
        return ()
    return tuple(part for part in get_args(annotation) if part not in (types.NoneType, ...))


def models_in(annotation: Any) -> list[type[Model]]:
    """All models that a value of this type may be or hold, in order."""
    if _is_model(annotation):
        return [annotation]
    return [model for part in _members(annotation) for model in models_in(part)]


def type_name(annotation: Any) -> str:
    """A type in the words of a reference page: `list of size`, `cluster or none`, `Lustre or Nfs`."""
    if get_origin(annotation) is Literal:
        return " or ".join(f"`{value}`" for value in get_args(annotation))
    names = list(dict.fromkeys(type_name(part) for part in _members(annotation)))
    if get_origin(annotation) is tuple:
        return f"list of {names[0]}"
    if get_origin(annotation) is dict:
        return f"mapping of {names[-1]} by name"
    if names:
        return " or ".join(names)
    words = {str: "text", int: "number", float: "number", bool: "`true` or `false`", IPv4Network: "address range"}
    return words.get(annotation, {IPv4Address: "address"}.get(annotation, annotation.__name__))


@cache
def field_docs(model: type[Model]) -> dict[str, str]:
    """The docstring under each field of `model`, base classes included."""
    docs: dict[str, str] = {}
    for owner in reversed(model.__mro__):
        if issubclass(owner, Model) and owner is not Model:
            docs |= attribute_docs(owner)
    return docs
