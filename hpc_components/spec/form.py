"""The form of a description: unknown keys, missing ones, wrong types. Told in our words, by ids `HPC-FRM-...`.

pydantic finds these. What it refuses is left out, or replaced by a placeholder where something must stand, and the
rest tried again; so the rules can judge what could be understood.
"""

import copy
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from hpc_components.spec.cluster import AwsClusterSpec
from hpc_components.spec.findings import Path, Problem, dotted
from hpc_components.spec.model import Model
from hpc_components.spec.shape import describe, field_docs, model_at, placeholder, type_at

__all__ = ["CLOUDS", "FORM_RULES", "Form", "read_form"]

FORM_RULES = {
    "HPC-FRM-001": "A key is not known",
    "HPC-FRM-002": "A required key is missing",
    "HPC-FRM-003": "A value is of the wrong type, not written as it must be, or not one of those allowed",
    "HPC-FRM-004": "There is no description of a cluster, or of no known cloud",
}
"""Ids and titles of what is said about a description's form; these are errors and can't be silenced."""

CLOUDS: dict[str, type[AwsClusterSpec]] = {"aws": AwsClusterSpec}
"""The model of each cloud's clusters."""

_ROUNDS = 5
"""How often what remains is tried again. A mistake hides others at most as deep as models are nested: three."""


@dataclass(frozen=True)
class Form:
    """A description after its form was looked at."""

    cluster: AwsClusterSpec | None
    """What could be understood."""
    problems: tuple[tuple[str, Problem], ...] = ()
    """Ids and problems."""
    left_out: frozenset[Path] = frozenset()
    """What could not be understood, and was left out."""


def read_form(data: Any) -> Form:
    """Read plain data as a cluster."""
    if not isinstance(data, dict):
        problem = Problem(
            path=(), reason="this is not a description of a cluster", remedy="write keys: cloud, name, ..."
        )
        return Form(None, (("HPC-FRM-004", problem),))
    cloud = data.get("cloud")
    if not isinstance(cloud, str) or cloud not in CLOUDS:
        known = ", ".join(CLOUDS)
        reason = f"{cloud!r} is no cloud that can be described" if "cloud" in data else "the key cloud is missing"
        problem = Problem(path=("cloud",), value=cloud, reason=reason, remedy=f"write one of: {known}")
        return Form(None, (("HPC-FRM-004", problem),))
    return _read(CLOUDS[cloud], copy.deepcopy(data))


def _read(model: type[AwsClusterSpec], data: dict[str, Any]) -> Form:
    problems: list[tuple[str, Problem]] = []
    left_out: set[Path] = set()
    for _ in range(_ROUNDS):
        try:
            return Form(model.model_validate(data), tuple(problems), frozenset(left_out))
        except ValidationError as error:
            details = [(_place(data, detail), detail) for detail in error.errors(include_url=False)]
        for path, detail in details:
            if not any(path[: len(gone)] == gone for gone in left_out):
                problems.append(_translate(detail, path, model, data))
        for path in sorted({path for path, _ in details}, key=len, reverse=True):
            _leave_out(model, data, path)
        left_out |= {path for path, _ in details}
    return Form(None, tuple(problems), frozenset(left_out))


def _place(data: Any, detail: ErrorDetails) -> Path:
    """Where an error is: pydantic's location without the names of union members, which are no keys of the data."""
    path: list[str | int] = []
    location = detail["loc"]
    for index, part in enumerate(location):
        is_key = isinstance(data, dict) and (
            part in data or (detail["type"] == "missing" and index == len(location) - 1)
        )
        if is_key or isinstance(data, list):
            path.append(part)
            data = data.get(part) if isinstance(data, dict) else data[int(part)]
    return tuple(path)


def _leave_out(model: type[Model], data: Any, path: Path) -> None:
    """Take what stands at `path` out of `data`, or put a placeholder where something must stand."""
    if not path:
        return
    holder, last = data, path[-1]
    for part in path[:-1]:
        if not isinstance(holder, dict | list) or (isinstance(holder, dict) and part not in holder):
            return
        holder = holder[part]
    owner = model_at(model, data, path[:-1])
    if isinstance(holder, list) or (
        owner is not None and last in owner.model_fields and owner.model_fields[str(last)].is_required()
    ):
        holder[last] = placeholder(type_at(model, data, path))
    elif isinstance(holder, dict):
        holder.pop(last, None)


def _translate(detail: ErrorDetails, path: Path, model: type[Model], data: Any) -> tuple[str, Problem]:
    kind, value = detail["type"], detail.get("input")
    where = dotted(path[:-1]) or "the cluster"
    owner = model_at(model, data, path[:-1])
    if kind == "extra_forbidden":
        known = list(owner.model_fields) if owner else []
        reason, remedy = f"{path[-1]!r} is not a key of {where}", _did_you_mean(str(path[-1]), known)
        return "HPC-FRM-001", Problem(path=path, reason=reason, remedy=remedy)
    if kind == "missing":
        meaning = field_docs(owner).get(str(path[-1]), "") if owner else ""
        reason, remedy = f"{where} has no {path[-1]!r}", f"add {path[-1]}: {meaning}".rstrip(": ")
        return "HPC-FRM-002", Problem(path=path, reason=reason, remedy=remedy)
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        expected = str(detail["ctx"].get("expected_tags", "")).replace("'", "") if "ctx" in detail else ""
        told = (value or {}).get("type") if isinstance(value, dict) else value
        names = expected.split(", ") if expected else []
        reason = f"{dotted(path)} is of no known type: {told!r}" if told else f"{dotted(path)} has no type"
        remedy = _did_you_mean(str(told or ""), names) if names else "add type: lustre, nfs, efs, s3 or s3_express"
        return "HPC-FRM-003", Problem(path=path, value=told, reason=reason, remedy=remedy)
    meaning = field_docs(owner).get(str(path[-1]), "") if owner else ""
    return "HPC-FRM-003", _wrong_value(detail, path, type_at(model, data, path), meaning)


def _wrong_value(detail: ErrorDetails, path: Path, annotation: Any, meaning: str) -> Problem:
    value = detail.get("input")
    shown = value if isinstance(value, str | int | float | bool | None) else type(value).__name__
    if detail["type"] == "value_type":
        return Problem(path=path, value=shown, reason=detail["msg"], remedy=f"{dotted(path[-1:])}: {meaning}")
    if detail["type"] == "ip_v4_network" and "host bits" in detail["msg"]:
        return Problem(path=path, value=shown, reason=f"{value} has bits set behind its mask", remedy="clear them")
    expected = describe(annotation)
    remedy = f"write {expected}: {meaning}".rstrip(": ")
    if detail["type"] == "literal_error" and isinstance(value, str):
        names = [name.strip() for name in expected.removeprefix("one of ").split(",")]
        remedy = _did_you_mean(value, names)
    return Problem(path=path, value=shown, reason=f"{shown!r} is not {expected}", remedy=remedy)


def _did_you_mean(word: str, known: list[str]) -> str:
    near = get_close_matches(word, known, n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
