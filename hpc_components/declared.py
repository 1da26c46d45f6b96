"""Arguments of components have the types that they are declared with, also where no type checker has looked."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from reprlib import repr
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin

from pulumi import Output

__all__ = ["as_declared"]

_Args = TypeVar("_Args")

_WORDS = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "True or False",
    tuple: "a tuple, (x,) for one",
    Mapping: "a mapping",
}


def as_declared(args: type[_Args]) -> type[_Args]:
    """A decorator, below that of a dataclass: a value of another type than declared raises ValueError with its path.

    It comes before the class's own checks, which take the types for granted: a text in place of a tuple would be
    taken letter by letter. A list may stand for a tuple, and an Output for a text: many a text is only handed on.
    """
    own = getattr(args, "__post_init__", lambda _: None)

    def check(self: Any) -> None:
        for name, declared in args.__annotations__.items():
            _check(f"{args.__name__}.{name}", declared, getattr(self, name))
        own(self)

    setattr(args, "__post_init__", check)  # noqa: B010  a type checker knows no such attribute of any class
    return args


def _check(path: str, declared: Any, value: Any) -> None:
    choices = get_args(declared) if isinstance(declared, UnionType) else (declared,)
    kinds = [_kind(each) for each in choices]
    if None in kinds or any(_is(value, kind) for kind in kinds if kind):
        return
    wanted = " or ".join(_word(kind, value) for kind in kinds if kind)
    raise ValueError(f"{path}: {_told(value)}; give {wanted}")


def _kind(declared: Any) -> type | None:
    """The class of which a value must be; None where it may be an Output, or anything else."""
    origin = get_origin(declared)
    if origin in (tuple, Mapping):
        return origin
    is_plain = declared in _WORDS or declared is NoneType
    return declared if is_plain or (isinstance(declared, type) and is_dataclass(declared)) else None


def _is(value: Any, kind: type) -> bool:
    if isinstance(value, bool) and kind in (int, float):
        return False
    more = {tuple: (tuple, list), float: (float, int), str: (str, Output)}
    return isinstance(value, more.get(kind, kind))


def _word(kind: type, value: Any) -> str:
    if kind is NoneType:
        return "None"
    is_namesake = type(value).__name__ == kind.__name__  # one cloud's value where another's is wanted
    return _WORDS.get(kind, f"that of {kind.__module__}" if is_namesake else kind.__name__)


def _told(value: Any) -> str:
    if isinstance(value, Output):
        return "an Output can't stand here, because no preview knows its value"
    return f"{repr(value)} is of type {type(value).__name__}"
