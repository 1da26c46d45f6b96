import re
from collections.abc import Mapping
from ipaddress import IPv4Network
from typing import Any, get_args

from pydantic_core import ErrorDetails

from hpc_components.spec.findings import Path, Problem, dotted
from hpc_components.spec.model import Model
from hpc_components.spec.schema_walk import describe, field_docs, literals, model_at, type_at, type_words
from hpc_components.wording import closest_word, did_you_mean

IN_KEY = "[key]"
"""Last part of pydantic's location if the error is in a mapping's key, not in its value."""


def translate(
    detail: ErrorDetails, path: Path, model: type[Model], data: Any, written: Mapping[Path, str]
) -> tuple[str, Problem]:
    where = dotted(path[:-1]) or "the cluster"
    owner = model_at(model, data, path[:-1])
    kind, annotation = detail["type"], type_at(model, data, path)
    meaning = field_docs(owner).get(str(path[-1]), "") if owner and path else ""
    if kind == "extra_forbidden" or detail["loc"][-1] == IN_KEY:
        known = list(owner.model_fields) if owner else literals(get_args(type_at(model, data, path[:-1]))[0])
        key, renamed = str(path[-1]), owner.renamed if owner else {}
        remedy = f"rename the key to {renamed[key]}" if key in renamed else _did_you_mean(key, known)
        reason = f"{path[-1]!r} is not a key of {where}"
        return "HPC-FRM-001", Problem(path=path, reason=reason, remedy=remedy)
    if kind == "missing":
        reason, remedy = f"{where} has no {path[-1]!r}", f"add {path[-1]}: {meaning}".rstrip(": ")
        return "HPC-FRM-002", Problem(path=path, reason=reason, remedy=remedy)
    if kind in ("union_tag_not_found", "union_tag_invalid") and isinstance(detail["input"], dict):
        return _wrong_type(detail["input"], path, annotation, written.get((*path, "type")))
    return "HPC-FRM-003", _wrong_value(detail, path, annotation, meaning, written.get(path))


def _wrong_type(value: dict[str, Any], path: Path, annotation: Any, text: str | None) -> tuple[str, Problem]:
    """Return the finding id and the problem for a mapping whose `type` is missing or not allowed."""
    known = type_words(annotation)
    if not known:
        reason = f"{dotted(path)} has none of the allowed keys"
        return "HPC-FRM-003", Problem(path=path, value=value, reason=reason, remedy=f"write {describe(annotation)}")
    if "type" not in value:
        reason = f"{dotted(path)} has no 'type'"
        return "HPC-FRM-002", Problem(path=(*path, "type"), reason=reason, remedy=f"add type: {' or '.join(known)}")
    given = value["type"]
    reason = f"{text or yaml_text(given)} is not a valid type for {dotted(path)}"
    return "HPC-FRM-003", Problem(
        path=(*path, "type"), value=given, reason=reason, remedy=_did_you_mean(text or str(given), known)
    )


def _wrong_value(detail: ErrorDetails, path: Path, annotation: Any, meaning: str, text: str | None) -> Problem:
    """`text` is the original text of a value that YAML does not parse as a string."""
    value, expected = detail["input"], describe(annotation)
    if detail["type"] == "value_type":
        reason = detail["msg"]
    elif detail["type"] == "no_unit":
        reason = f"{text or value} has no unit; add one, as in {detail['ctx']['example']}"
    elif value is None:
        reason = f"the value is missing; it must be {expected}"
    else:
        reason = f"{text or yaml_text(value)} is not {expected}"
    otherwise = f"write {expected}: {meaning}".rstrip(": ")
    is_zone = path[-1:] == ("zone",) or path[-2:-1] == ("zones",)  # quoting a number would not make it a valid zone
    remedy = otherwise if is_zone and isinstance(value, int) else _remedy(value, annotation, otherwise, text)
    return Problem(path=path, value=value, reason=reason, remedy=remedy)


_FLAGS = dict.fromkeys(("yes", "on", "y"), True) | dict.fromkeys(("no", "off", "n"), False)
"""Words that YAML 1.1, and therefore Ansible, reads as booleans."""


def intended_value(value: Any, annotation: Any, text: str | None = None) -> Any:
    """Return the value that was probably meant instead of an invalid one, or None if that is unclear.

    `text` is the original text of a value that YAML does not parse as a string. Without the original text, the remedy
    for `00123` would be wrong, because YAML reads it as 83.
    """
    kind, allowed = describe(annotation), literals(annotation)
    if isinstance(value, int | float):
        text = text or yaml_text(value)
        return text if text in allowed or "text" in kind else None
    if isinstance(value, dict):
        given = value.get("type")
        near = closest_word(given, type_words(annotation)) if isinstance(given, str) else None
        return value | {"type": near} if near else None
    if not isinstance(value, str):
        return None
    if allowed:
        return closest_word(value, allowed)
    if kind == describe(IPv4Network):
        return _network_of(value)
    if kind in (describe(int), describe(float)):
        return int(value) if re.fullmatch(r"[0-9]{1,18}", value) else None
    if kind == describe(bool):
        return _FLAGS.get(value.lower())
    return [value] if kind == "a list" else None


def _remedy(value: Any, annotation: Any, otherwise: str, text: str | None) -> str:
    match meant := intended_value(value, annotation, text):
        case bool():
            return f"write {yaml_text(meant)}"
        case int():
            return f"remove the quotes: {meant}"
        case list():
            return f"write [{value}]"
        case str() if not isinstance(value, str):
            return f"put it in quotes: '{meant}'"
        case str():
            return f"did you mean {meant}?" if meant in literals(annotation) else f"write {meant}"
        case _ if isinstance(value, float) and literals(annotation):
            return f"put it in quotes, because YAML reads it as a number; {otherwise}"
        case _:
            return otherwise


def _network_of(text: str) -> str | None:
    try:
        return str(IPv4Network(text, strict=False))
    except ValueError:
        return None


def _did_you_mean(word: str, known: list[str]) -> str:
    return did_you_mean(word, known, f"use one of {', '.join(known)}")


def yaml_text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    return repr(value)
