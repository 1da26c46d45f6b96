"""Check that a document of another program has the shape that its readers rely on."""

from typing import Any

from pydantic import TypeAdapter, ValidationError

from hpc_components.errors import HpcError

__all__ = ["WrongShapeError", "check_shape"]

_TYPES = {
    "string_type": "a text", "int_type": "a whole number", "float_type": "a number", "bool_type": "true or false",
    "list_type": "a list", "dict_type": "an object", "none_required": "null",
}  # fmt: skip
"""What pydantic calls what was expected, as JSON calls it."""


class WrongShapeError(HpcError, ValueError):
    """A part of a document is missing or of a wrong type. The message has its JSON path."""


def check_shape(shape: TypeAdapter[Any], document: Any) -> None:
    """Refuse a document that is not of this shape; WrongShapeError names the first part that is wrong."""
    try:
        shape.validate_python(document, strict=True)
    except ValidationError as error:
        raise WrongShapeError(_told(error.errors(include_url=False, include_input=True)[0])) from None


def _told(fault: Any) -> str:
    names = [each for each in fault["loc"] if not (isinstance(each, str) and each in _BRANCHES)]
    path = (
        "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in names).lstrip(".") or "the document"
    )
    if fault["type"] == "missing":
        return f"{path} is missing"
    expected = _TYPES.get(fault["type"]) or fault["msg"][:1].lower() + fault["msg"][1:]
    return f"{path} is {_kind(fault['input'])}, where {expected} was expected"


_BRANCHES = frozenset({"str", "int", "float", "bool", "none", "none_required"})
"""What pydantic adds to a path where a value may be of several types."""


def _kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    return {dict: "an object", list: "a list"}.get(type(value)) or f"the number {value}"
