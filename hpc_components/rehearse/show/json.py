"""A rehearsal as a document for programs."""

from dataclasses import asdict, fields
from typing import Any, TypeVar

from hpc_components.errors import HpcError
from hpc_components.rehearse.events import Code, Event, Kind
from hpc_components.rehearse.result import Change, Check, JobLife, NodeLife, Rehearsal, Scale, Span
from hpc_components.spec.printable import json_text
from hpc_components.strict_json import InvalidJsonError, parse_json

VERSION = 1
"""Version of the document. Keys may be added within one version; none changes or is removed."""

_Value = TypeVar("_Value")


class UnreadableRehearsalError(HpcError, ValueError):
    """The text is not the document of a rehearsal. The message names the place and the remedy."""


def to_json(rehearsal: Rehearsal) -> str:
    """Return the document: keys sorted, a line break at the end. docs/rehearse.md describes its keys."""
    document = asdict(rehearsal) | {"rehearsal": VERSION, "passed": rehearsal.passed}
    return json_text(document) + "\n"


def read_json(text: str) -> Rehearsal:
    """Read a document that `to_json` wrote. Raise UnreadableRehearsalError for any other text or version."""
    way_out = "write one with `hpc rehearse STACK --format json`"
    try:
        document = parse_json(text)
    except InvalidJsonError as error:
        raise UnreadableRehearsalError(f"{error}; {way_out}") from None
    version = document.get("rehearsal") if isinstance(document, dict) else None
    if version != VERSION:
        raise UnreadableRehearsalError(f"`rehearsal` is {version!r}, where {VERSION} was expected; {way_out}")
    try:
        return _read(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableRehearsalError(f"the rehearsal is incomplete: {error!r}; {way_out}") from None


def _read(document: dict[str, Any]) -> Rehearsal:
    document.setdefault("described", "")
    scale = document["scale"]
    lists = {
        "scale": None if scale is None else _plain(Scale, scale),
        "changes": tuple(_plain(Change, each) for each in document["changes"]),
        "events": tuple(map(_event, document["events"])),
        "nodes": tuple(_plain(NodeLife, each, spans=_spans(each)) for each in document["nodes"]),
        "jobs": tuple(
            _plain(JobLife, each, spans=_spans(each), nodes=tuple(each["nodes"])) for each in document["jobs"]
        ),
        "checks": tuple(_plain(Check, each, code=_code(each)) for each in document["checks"]),
    }
    return _plain(Rehearsal, document, **lists)


def _event(values: dict[str, Any]) -> Event:
    return _plain(Event, values, kind=Kind(values["kind"]), code=_code(values), pool=values.get("pool", ""))


def _code(values: dict[str, Any]) -> Code | None:
    """Return the code; None in documents written before codes existed, and for codes of later versions."""
    code = values.get("code")
    return Code(code) if code in _CODES else None


_CODES = frozenset(Code)


def _spans(life: dict[str, Any]) -> tuple[Span, ...]:
    return tuple(_plain(Span, each) for each in life["spans"])


def _plain(kind: type[_Value], values: dict[str, Any], /, **read: Any) -> _Value:
    """Create a value of `kind` from fields that were `read` already, and others as in the document."""
    values = values | read
    return kind(**{field.name: values[field.name] for field in fields(kind)})  # ty: ignore[invalid-argument-type]
