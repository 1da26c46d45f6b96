"""Inspects the properties of SDK classes. Only this module uses private parts of `pulumi`."""

import functools
import inspect
import sys
import typing
from collections.abc import Awaitable, Iterator, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any

import pulumi
from pulumi import _types

_classes: dict[str, type] = {}


@dataclass(frozen=True, kw_only=True)
class Property:
    name: str
    """Wire name, e.g. `cpuOptions`."""
    python: str
    """Python name, e.g. `cpu_options`."""
    type: Any
    """Type hint as declared, which may include outputs. `alternatives` returns the plain types."""
    required: bool
    doc: str


def resource_class(token: str) -> type | None:
    """Return the resource class with this type token, or None if no loaded SDK has one."""
    if token not in _classes:
        _classes.update((cls.__dict__["pulumi_type"], cls) for cls in _subclasses(pulumi.Resource) if _has_token(cls))
    return _classes.get(token)


def argument_class(token: str) -> type | None:
    """Return the argument class for a type token (e.g. `VpcArgs` for `aws:ec2/vpc:Vpc`), or None if no loaded SDK has
    one.

    The class is called `...InitArgs` if a nested object already uses the name `...Args`.
    """
    cls = resource_class(token)
    module = vars(sys.modules[cls.__module__]) if cls else {}
    found = (module.get(f"{cls.__name__}{suffix}") for suffix in ("InitArgs", "Args")) if cls else ()
    return next((each for each in found if isinstance(each, type) and is_argument_class(each)), None)


@functools.cache
def properties(arguments: type) -> Mapping[str, Property]:
    """Return an argument class's properties, keyed by wire name."""
    parameters = inspect.signature(arguments.__init__).parameters
    types = _types.input_type_types(arguments)
    return {
        name: Property(
            name=name,
            python=python,
            type=types.get(name, Any),
            required=python in parameters and parameters[python].default is inspect.Parameter.empty,
            doc=inspect.cleandoc(getter.fget.__doc__ or "") if getter.fget else "",
        )
        for python, name, getter in _types._py_properties(arguments)
    }


@functools.cache
def output_types(cls: type) -> Mapping[str, Any]:
    """Return the output types of a resource class or output class, keyed by wire name."""
    if issubclass(cls, pulumi.Resource):
        return _types.resource_types(cls)
    return _types.output_type_types(cls)


@functools.cache
def alternatives(hint: Any) -> tuple[Any, ...]:
    """Return the possible types of a plain value: the members of a union, without None, outputs and awaitables."""
    if typing.get_origin(hint) is not typing.Union:
        return (hint,)
    plain = (each for each in typing.get_args(hint) if each is not NoneType and not _wraps(each))
    return tuple(dict.fromkeys(inner for each in plain for inner in alternatives(each)))


def is_argument_class(cls: type) -> bool:
    return _types.is_input_type(cls)


def is_output_class(cls: type) -> bool:
    return _types.is_output_type(cls)


def _wraps(hint: Any) -> bool:
    return typing.get_origin(hint) in (Awaitable, pulumi.Output) or hint is pulumi.Output


def _subclasses(cls: type) -> Iterator[type]:
    for each in cls.__subclasses__():
        yield each
        yield from _subclasses(each)


def _has_token(cls: type) -> bool:
    return isinstance(cls.__dict__.get("pulumi_type"), str)
