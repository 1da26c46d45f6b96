"""Parses a description and reports unknown keys, missing keys and wrong types as findings `HPC-FRM-...`.

pydantic detects these errors. An invalid value is replaced by the value that was probably meant. If that value is
unclear, a required key gets a placeholder, and an optional key is removed. The result is then validated again, so
that rules can check the rest of the description.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path, Problem
from hpc_components.spec.model import Model
from hpc_components.spec.parsing_messages import IN_KEY, intended_value, translate, yaml_text
from hpc_components.spec.schema_walk import model_at, placeholder, type_at, value_at
from hpc_components.wording import closest_word

FORM_RULES = {
    "HPC-FRM-001": "A key is unknown",
    "HPC-FRM-002": "A required key is missing",
    "HPC-FRM-003": "A value has the wrong type, is malformed, or is not an allowed value",
    "HPC-FRM-004": "The description is not a mapping, or its cloud is missing or unknown",
}
"""Titles of the findings about a description's form, keyed by id. All are errors and can't be silenced."""

_ROUNDS = 5
"""Maximum number of validation rounds. Because models are nested, an error can hide others, but at most three levels
deep."""


@dataclass(frozen=True)
class Form:
    """The result of parsing a description."""

    cluster: ClusterSpec | None
    """The cluster after repairs, or None if the description can't be repaired."""
    problems: tuple[tuple[str, Problem], ...] = ()
    """(rule id, problem) pairs."""
    left_out: frozenset[Path] = frozenset()
    """Paths of repaired values. Rules report no findings at these paths."""


def model_of(cloud: str) -> type[ClusterSpec]:
    return cloud_named(cloud).parts.model


def read_form(data: Any, written: Mapping[Path, str] | None = None) -> Form:
    """`written` contains the original text of values that YAML does not parse as strings."""
    written = written or {}
    if not isinstance(data, dict):
        reason = f"{yaml_text(data)} is not a cluster description"
        problem = Problem(path=(), value=data, reason=reason, remedy="write a mapping with the keys cloud, name, ...")
        return Form(None, (("HPC-FRM-004", problem),))
    cloud = data.get("cloud")
    if isinstance(cloud, str) and cloud in CLOUDS:
        return _read(model_of(cloud), _in_order(data), written, [], set())
    reason = (
        f"{written.get(('cloud',), yaml_text(cloud))} is not a supported cloud"
        if "cloud" in data
        else "the key cloud is missing"
    )
    near = closest_word(cloud, CLOUDS) if isinstance(cloud, str) else None
    remedy = f"did you mean {near}?" if near else f"write one of: {', '.join(CLOUDS)}"
    problem = Problem(path=("cloud",), value=cloud, reason=reason, remedy=remedy)
    if near is None:
        return Form(None, (("HPC-FRM-004", problem),))
    healed = _in_order(data) | {"cloud": near}
    return _read(model_of(near), healed, written, [("HPC-FRM-004", problem)], {("cloud",)})


def _in_order(data: Any) -> Any:
    """Return a copy with the keys in alphabetical order, as Pulumi passes them to a program."""
    if isinstance(data, dict):
        return {key: _in_order(data[key]) for key in sorted(data, key=str)}
    return [_in_order(each) for each in data] if isinstance(data, list) else data


def _read(
    model: type[ClusterSpec],
    data: dict[str, Any],
    written: Mapping[Path, str],
    problems: list[tuple[str, Problem]],
    left_out: set[Path],
) -> Form:
    """Validate `data` repeatedly, each time repairing what pydantic refuses, until the cluster is valid."""
    for _ in range(_ROUNDS):
        try:
            return Form(model.model_validate(data), tuple(problems), frozenset(left_out))
        except ValidationError as error:
            details = _details_by_place(data, error)
        unknown = [path for path, detail in details.items() if detail["type"] == "extra_forbidden"]
        misspelt = {near for path in unknown if (near := _intended_key(model, data, path))}
        for path, detail in details.items():
            is_reported = detail["type"] == "missing" and path in misspelt
            if not is_reported and not any(path[: len(gone)] == gone for gone in left_out):
                problems.append(translate(detail, path, model, data, written))
        innermost_first = sorted(details, key=len, reverse=True)
        left_out |= {_repair(model, data, path, written) for path in innermost_first} | misspelt
    return Form(None, tuple(problems), frozenset(left_out))


def _details_by_place(data: Any, error: ValidationError) -> dict[Path, ErrorDetails]:
    details: dict[Path, ErrorDetails] = {}
    for detail in error.errors(include_url=False):
        details.setdefault(_place(data, detail), detail)
    return details


def _place(data: Any, detail: ErrorDetails) -> Path:
    """Return an error's path, which is pydantic's location without the names of union members."""
    path: list[str | int] = []
    location = detail["loc"]
    for index, part in enumerate(location):
        is_key = isinstance(data, dict) and (
            part in data or (detail["type"] == "missing" and index == len(location) - 1)
        )
        if part != IN_KEY and (is_key or (isinstance(data, list) and isinstance(part, int))):
            path.append(part)
            data = data.get(part) if isinstance(data, dict) else data[int(part)]
    return tuple(path)


def _intended_key(model: type[Model], data: Any, path: Path) -> Path | None:
    owner = model_at(model, data, path[:-1])
    near = closest_word(str(path[-1]), owner.model_fields) if owner else None
    return (*path[:-1], near) if near else None


def _repair(model: type[Model], data: Any, path: Path, written: Mapping[Path, str]) -> Path:
    """Repair the value at `path`, and return the path at which rules should report no findings.

    The value is replaced by the one that was probably meant. If that is unclear, a required value is replaced by a
    placeholder, and an optional one is removed.
    """
    container = value_at(data, path[:-1])
    if not path or not isinstance(container, dict | list):
        return path
    key, expected = path[-1], type_at(model, data, path)
    value = value_at(container, (key,))
    near = intended_value(value, expected, written.get(path))
    if near is not None and near != value:
        container[key] = near
        return (*path, "type") if isinstance(near, dict) else path
    if isinstance(container, list) or _is_required(model_at(model, data, path[:-1]), key):
        container[key] = placeholder(expected)
    else:
        container.pop(key, None)
    return path


def _is_required(owner: type[Model] | None, key: str | int) -> bool:
    return owner is not None and key in owner.model_fields and owner.model_fields[str(key)].is_required()
