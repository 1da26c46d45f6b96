"""Checks the types of component arguments at run time, and picks arguments out of a description."""

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
    tuple: "a tuple, (x,) for a single item",
    Mapping: "a mapping",
    Awaitable: "an Output",
}


def same_named(part: Model, args: Any) -> dict[str, Any]:
    """Return the values in `part`, a part of a description, whose keys are also arguments of the class `args`."""
    keys = type(part).model_fields
    return {field.name: getattr(part, field.name) for field in fields(args) if field.name in keys}


def checked_args(args: type[_Args], id_forms: IdForms | None = None) -> type[_Args]:
    """Return the dataclass `args` with type checks that raise ValueError, with the path, for values of the wrong
    type.

    Use it as a decorator below `@dataclass`. The type checks run before the class's own checks, which rely on them: a
    string instead of a tuple, for example, would be iterated character by character. A list is accepted as a tuple.
    An Output is accepted only where `Input[...]` is declared, because formatting it into a string would yield
    Pulumi's warning message. With `id_forms`, also refuse an id of a kind that the argument doesn't accept.
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
    """Raise ValueError, whose message contains `path`, if `value` is not of the type `declared`."""
    choices = get_args(declared) if get_origin(declared) in (UnionType, Union) else (declared,)
    # `Input[...]` contains Awaitable, as well as Output as a forward reference
    kinds = {each: _kind(each) for each in choices if not isinstance(each, ForwardRef)}
    if isinstance(value, Output) and Awaitable not in kinds.values():
        wanted = " or ".join(_word(each, value) for each in kinds)
        raise ValueError(
            f"{path}: an Output is not allowed here, because its value is unknown in a preview; give {wanted}"
        )
    taken = [each for each, kind in kinds.items() if kind is None or _is(value, kind)]
    if not taken:
        wanted = " or ".join(_word(each, value) for each in kinds)
        raise ValueError(f"{path}: {repr(value)} is of type {type(value).__name__}; give {wanted}")
    _check_parts(path, taken[0], value)


def _check_parts(path: str, declared: Any, value: Any) -> None:
    """Check the types of a tuple's items or a mapping's values."""
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
    # if the value is of another cloud's class of the same name, say which package to import from
    package = re.sub(r"^(hpc_components\.\w+)\.(?!ports$).*", r"\1", kind.__module__)
    return _WORDS.get(kind, f"that of {package}" if type(value).__name__ == kind.__name__ else kind.__name__)
