"""Validates the parts of other programs' documents that our code relies on."""

from typing import Any

from pydantic import TypeAdapter, ValidationError

from hpc_components.errors import HpcError

_TYPES = {
    "string_type": "a string", "int_type": "a whole number", "float_type": "a number", "bool_type": "true or false",
    "list_type": "a list", "tuple_type": "a list", "dict_type": "an object", "dataclass_type": "an object",
    "int_parsing": "a whole number", "float_parsing": "a number", "bool_parsing": "true or false",
    "none_required": "null", "string_pattern_mismatch": "a string in another format",
}  # fmt: skip


class WrongShapeError(HpcError, ValueError):
    """Raised if part of a document is missing or has the wrong type. The message contains the JSON path of that
    part.
    """


def check_shape(shape: TypeAdapter[Any], document: Any) -> None:
    """Raise WrongShapeError for the first part of `document` that doesn't fit this shape."""
    try:
        shape.validate_python(document, strict=True)
    except ValidationError as error:
        raise WrongShapeError(_message(error.errors(include_url=False, include_input=True)[0])) from None


def read_shape(shape: TypeAdapter[Any], document: Any) -> Any:
    """Convert `document` to this shape, e.g. lists to tuples, objects to dataclasses, and strings to enum members.

    Raise WrongShapeError for the first part that doesn't fit.
    """
    try:
        return shape.validate_python(document)
    except ValidationError as error:
        raise WrongShapeError(_message(error.errors(include_url=False, include_input=True)[0])) from None


def _message(error: Any) -> str:
    names = [each for each in error["loc"] if not (isinstance(each, str) and each in _BRANCHES)]
    path = (
        "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in names).lstrip(".") or "the document"
    )
    if error["type"] == "missing":
        return f"{path} is missing"
    named = _TYPES.get(error["type"]) or error.get("ctx", {}).get("expected")
    expected = named or error["msg"][:1].lower() + error["msg"][1:]
    return f"{path} is {_kind(error['input'])}, but {expected} was expected"


_BRANCHES = frozenset({"str", "int", "float", "bool", "none", "none_required"})
"""Path components that pydantic inserts for values with a union type."""


def _kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f"the string {value[:40]!r}"
    return {dict: "an object", list: "a list"}.get(type(value)) or f"the number {value}"
