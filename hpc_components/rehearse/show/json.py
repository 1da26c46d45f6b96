from typing import Any

from pydantic import TypeAdapter
from pydantic_core import to_jsonable_python

from hpc_components.document_shape import WrongShapeError, read_shape
from hpc_components.errors import HpcError
from hpc_components.rehearse.events import Code
from hpc_components.rehearse.result import Rehearsal
from hpc_components.spec.printable import json_text
from hpc_components.strict_json import InvalidJsonError, parse_json

VERSION = 1
"""Format version of the document. Within a version, keys may be added, but not changed or removed."""


class UnreadableRehearsalError(HpcError, ValueError):
    """Raised if a text is not a rehearsal document. The message explains what is wrong and how to create such a
    document.
    """


def to_json(rehearsal: Rehearsal) -> str:
    """Return the JSON document, with sorted keys and a trailing newline. docs/rehearse.md describes the keys."""
    document = to_jsonable_python(rehearsal) | {"rehearsal": VERSION, "passed": rehearsal.passed}
    return json_text(document) + "\n"


def read_json(text: str) -> Rehearsal:
    """Read a document written by `to_json`. Raise UnreadableRehearsalError if `text` is not such a document or its
    version is not `VERSION`.
    """
    way_out = "create one with `hpc rehearse STACK --format json`"
    try:
        document = parse_json(text)
    except InvalidJsonError as error:
        raise UnreadableRehearsalError(f"{error}; {way_out}") from None
    version = document.get("rehearsal") if isinstance(document, dict) else None
    if version != VERSION:
        raise UnreadableRehearsalError(f"`rehearsal` is {version!r} but must be {VERSION}; {way_out}")
    for each in (*_objects(document, "events"), *_objects(document, "checks")):
        each["code"] = each.get("code") if each.get("code") in _CODES else None
    try:
        return read_shape(TypeAdapter(Rehearsal), document)
    except WrongShapeError as error:
        raise UnreadableRehearsalError(f"this is not a rehearsal document: {error}; {way_out}") from None


def _objects(document: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = document.get(key)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


_CODES = frozenset(Code)
