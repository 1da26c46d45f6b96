"""Arguments of components have the types that they are declared with, also where no type checker has looked."""

from collections.abc import Awaitable, Mapping
from dataclasses import is_dataclass
from reprlib import repr
from types import NoneType, UnionType
from typing import Any, ForwardRef, Literal, TypeVar, Union, get_args, get_origin

from pulumi import Output

from hpc_components.catalog.id_forms import IdForms

__all__ = ["check_type", "checked_args"]

_Args = TypeVar("_Args")

_WORDS = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "True or False",
    tuple: "a tuple, (x,) for one",
    Mapping: "a mapping",
    Awaitable: "an Output",
}


def checked_args(args: type[_Args], id_forms: IdForms | None = None) -> type[_Args]:
    """A decorator, below that of a dataclass: a value of another type than declared raises ValueError with its path.

    It comes before the class's own checks, which take the types for granted: a text in place of a tuple would be
    taken letter by letter. A list may stand for a tuple. An Output may stand where `Input[...]` is declared, and
    nowhere else: put into another text, it would be there as a warning of Pulumi's. With `id_forms`, an id that has
    the form of another kind than the argument takes is refused too.
    """
    own = getattr(args, "__post_init__", lambda _: None)

    def check(self: Any) -> None:
        if id_forms is not None:
            for name in args.__annotations__:
                id_forms.check(f"{args.__name__}.{name}", getattr(self, name))
        for name, declared in args.__annotations__.items():
            check_type(f"{args.__name__}.{name}", declared, getattr(self, name))
        own(self)

    setattr(args, "__post_init__", check)  # noqa: B010  a type checker knows no such attribute of any class
    return args


def check_type(path: str, declared: Any, value: Any) -> None:
    """Refuse a value of another type than `declared`: ValueError with `path`."""
    choices = get_args(declared) if get_origin(declared) in (UnionType, Union) else (declared,)
    # `Input[...]` names Output by a reference to it, and Awaitable beside it
    kinds = {each: _kind(each) for each in choices if not isinstance(each, ForwardRef)}
    if isinstance(value, Output) and Awaitable not in kinds.values():
        wanted = " or ".join(_word(each, value) for each in kinds)
        raise ValueError(f"{path}: an Output can't stand here, because no preview knows its value; give {wanted}")
    taken = [each for each, kind in kinds.items() if kind is None or _is(value, kind)]
    if not taken:
        wanted = " or ".join(_word(each, value) for each in kinds)
        raise ValueError(f"{path}: {repr(value)} is of type {type(value).__name__}; give {wanted}")
    _check_parts(path, taken[0], value)


def _check_parts(path: str, declared: Any, value: Any) -> None:
    """The items of a tuple, or the values of a mapping."""
    if (kind := _kind(declared)) is tuple:
        for index, item in enumerate(value):
            check_type(f"{path}[{index}]", get_args(declared)[0], item)
    elif kind is Mapping:
        for key, item in value.items():
            check_type(f"{path}[{key!r}]", get_args(declared)[1], item)


def _kind(declared: Any) -> type | None:
    """The class of which a value must be; None where the class's own check says what it may be."""
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
    # one cloud's value where another's is wanted; people import it from the package
    package = kind.__module__.partition(".components.")[0]
    return _WORDS.get(kind, f"that of {package}" if type(value).__name__ == kind.__name__ else kind.__name__)
