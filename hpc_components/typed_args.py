"""Checks the types of component arguments at run time, and extracts arguments from a description."""

import re
from collections.abc import Awaitable, Mapping
from dataclasses import fields, is_dataclass
from reprlib import repr
from types import NoneType, UnionType
from typing import Any, ForwardRef, Literal, TypeVar, Union, get_args, get_origin

from pulumi import Output

from hpc_components.catalog.id_forms import IdForms
from hpc_components.spec.model import Model

_Args = TypeVar("_Args")

_WORDS = {
    int: "a whole number",
    float: "a number",
    str: "a string",
    bool: "True or False",
    tuple: "a tuple such as (x,)",
    Mapping: "a mapping",
    Awaitable: "an Output",
}


def same_named(part: Model, args: Any) -> dict[str, Any]:
    keys = type(part).model_fields
    return {field.name: getattr(part, field.name) for field in fields(args) if field.name in keys}


def checked_args(args: type[_Args], id_forms: IdForms | None = None) -> type[_Args]:
    """Add type checks to the dataclass `args`. A value of the wrong type raises ValueError with the path of the
    argument.

    Use this function as a decorator below `@dataclass`. The type checks run before the class's own checks, because
    those rely on correct types. If a string were passed instead of a tuple, for example, the class's own checks would
    iterate over its characters. A list is accepted in place of a tuple. An Output is accepted only where `Input[...]`
    is declared, because formatting an Output into a string yields Pulumi's warning message. With `id_forms`, ids of a
    kind that the argument doesn't accept are refused as well.
    """
    own = getattr(args, "__post_init__", lambda _: None)

    def check(self: Any) -> None:
        if id_forms is not None:
            for name in args.__annotations__:
                id_forms.check(f"{args.__name__}.{name}", getattr(self, name))
        for name, declared in args.__annotations__.items():
            check_type(f"{args.__name__}.{name}", declared, getattr(self, name))
        own(self)

    setattr(args, "__post_init__", check)  # noqa: B010  type checkers don't know this attribute
    return args


def check_type(path: str, declared: Any, value: Any) -> None:
    """Raise ValueError if `value` is not of the type `declared`. The message begins with `path`."""
    choices = get_args(declared) if get_origin(declared) in (UnionType, Union) else (declared,)
    # `Input[...]` is a union that contains Awaitable, and Output as a forward reference
    kinds = {each: _kind(each) for each in choices if not isinstance(each, ForwardRef)}
    if isinstance(value, Output) and Awaitable not in kinds.values():
        wanted = " or ".join(_word(each, value) for each in kinds)
        raise ValueError(
            f"{path}: an Output is not allowed here, because its value is unknown in a preview; specify {wanted}"
        )
    taken = [each for each, kind in kinds.items() if kind is None or _is(value, kind)]
    if not taken:
        wanted = " or ".join(_word(each, value) for each in kinds)
        raise ValueError(f"{path}: {repr(value)} is of type {type(value).__name__}; specify {wanted}")
    _check_parts(path, taken[0], value)


def _check_parts(path: str, declared: Any, value: Any) -> None:
    if (kind := _kind(declared)) is tuple:
        for index, item in enumerate(value):
            check_type(f"{path}[{index}]", get_args(declared)[0], item)
    elif kind is Mapping:
        for key, item in value.items():
            check_type(f"{path}[{key!r}]", get_args(declared)[1], item)


def _kind(declared: Any) -> type | None:
    """Return the class that a value must be an instance of, or None if the argument class checks the type itself."""
    origin = get_origin(declared)
    if origin in (tuple, Mapping, Awaitable):
        return origin
    is_plain = declared in _WORDS or declared is NoneType
    return declared if is_plain or (isinstance(declared, type) and is_dataclass(declared)) else None


def _is(value: Any, kind: type) -> bool:
    if isinstance(value, bool) and kind in (int, float):
        return False
    more = {tuple: (tuple, list), float: (float, int), Awaitable: (Awaitable, Output)}
    return isinstance(value, more.get(kind, kind))


def _word(declared: Any, value: Any) -> str:
    kind = _kind(declared)
    if kind is None:
        return " or ".join(map(repr, get_args(declared))) if get_origin(declared) is Literal else "a plain value"
    if kind is NoneType:
        return "None"
    # if the value is an instance of another cloud's class with the same name, show which package to import from
    package = re.sub(r"^(hpc_components\.\w+)\.(?!ports$).*", r"\1", kind.__module__)
    is_namesake = type(value).__name__ == kind.__name__
    return _WORDS.get(kind, f"{kind.__name__} from {package}" if is_namesake else kind.__name__)
