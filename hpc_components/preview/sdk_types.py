"""What a cloud SDK's classes say of their properties. The only module that leans on private parts of `pulumi`."""

import functools
from collections.abc import Iterator
from typing import Any

import pulumi
from pulumi import _types

__all__ = ["is_output_class", "output_types", "resource_class"]

_classes: dict[str, type] = {}


def resource_class(token: str) -> type | None:
    """The loaded resource class of a type token; None for one that no loaded SDK has."""
    if token not in _classes:
        _classes.update((cls.__dict__["pulumi_type"], cls) for cls in _subclasses(pulumi.Resource) if _has_token(cls))
    return _classes.get(token)


@functools.cache
def output_types(cls: type) -> dict[str, Any]:
    """The outputs of a resource class or output class: wire name -> type."""
    if issubclass(cls, pulumi.Resource):
        return dict(_types.resource_types(cls))
    return dict(_types.output_type_types(cls))


def is_output_class(cls: type) -> bool:
    """Whether this is the class of a nested output object."""
    return _types.is_output_type(cls)


def _subclasses(cls: type) -> Iterator[type]:
    for each in cls.__subclasses__():
        yield each
        yield from _subclasses(each)


def _has_token(cls: type) -> bool:
    return isinstance(cls.__dict__.get("pulumi_type"), str)
