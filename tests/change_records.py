"""Tables of what changes mean, `hpc_components/<cloud>/plan/data/changes.json`: what is wrong with them.

Each function yields a line for every fault. Of several records for one input, one with `within` goes before one
without, then the longest path, then the longest pattern, then one with `when`; `*` comes last.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from importlib.resources import files
from types import NoneType
from typing import Any, get_args, get_type_hints

from pulumi import _types

from hpc_components.preview.record import RecordedResource, Recording
from hpc_components.preview.recorder.sdk_types import alternatives, argument_class, properties, resource_class
from hpc_components.products import product_files

Record = Mapping[str, Any]

EFFECTS = {
    "access",
    "data_lost",
    "files_away",
    "head_replaced",
    "head_restarts",
    "kept",
    "left_behind",
    "live",
    "new_nodes",
    "nodes_end",
    "sessions_cut",
    "slurmctld_restarts",
    "unknown",
}
ACTIONS = {"kept", "refused", "replace", "unknown", "update"}
WHEN = {"added", "grows", "more", "removed", "shrinks"}
OPERATIONS = {"create", "delete", "forget", "replace"}

_BOTH = {"kind", "type", "source", "as_of"}
_MAY_BOTH = {"within", "name_like", "words", "unsure"}
KEYS = {
    "property": (_BOTH | {"property", "action"}, _MAY_BOTH | {"when", "effect", "remedy"}),
    "kept": (_BOTH | {"properties"}, {"unsure"}),
    "resource": (_BOTH | {"op", "effect"}, _MAY_BOTH | {"remedy"}),
}
"""By kind: the keys that a record must have, and those that it may have."""

VALUES = {"action": ACTIONS, "effect": EFFECTS, "op": OPERATIONS, "when": WHEN}
PATTERNS = {
    "type": r"[a-z-]+:[\w./-]+:\w+",
    "within": r"[A-Z]\w+",
    "property": r"\*|[a-z]\w*(\.[\w:-]+)*",
    "as_of": r"20\d\d-(0[1-9]|1[0-2])",
}


def read_records(cloud: str) -> list[Record]:
    """All records of a cloud's tables, in their order."""
    return [record for table in read_tables(cloud) for record in table]


def read_tables(cloud: str) -> list[list[Record]]:
    """The records of a cloud's own table, and those of each of its products."""
    own = files(f"hpc_components.{cloud}.plan").joinpath("data/changes.json")
    tables = (own, *product_files(f"hpc_components.{cloud}", "changes.json"))
    return [json.loads(each.read_text("utf-8")) for each in tables]


def wrong_shapes(records: Iterable[Record]) -> Iterator[str]:
    """Records that are none of the two kinds, or hold what they may not."""
    for each in records:
        yield from (f"{_place(each)}: {fault}" for fault in _faults(each))


def _faults(record: Record) -> Iterator[str]:
    if record.get("kind") not in KEYS:
        yield f"kind {record.get('kind')!r}"
        return
    must, may = KEYS[record["kind"]]
    for key in sorted(must - record.keys()):
        yield f"no {key}"
    for key in sorted(record.keys() - must - may):
        yield f"{key} does not belong there"
    for key, value in record.items():
        if key == "properties":
            yield from (f"{key} {each!r}" for each in value if not re.fullmatch(PATTERNS["property"], each))
        elif key == "unsure":
            if not value or not {*value} <= record.keys() - {"kind", "type", "source", "as_of", "unsure"}:
                yield f"unsure {value!r}"
        elif not _allowed(key, value):
            yield f"{key} {value!r}"
        elif key in ("words", "remedy") and not re.fullmatch(r"[A-Z].*[^.]\.|[a-z]+\b.*[^.]\.", value):
            yield f"{key} is no sentence: {value!r}"
    if record.get("action") == "kept" and record.get("when") != "removed":
        yield "only what is removed is kept"
    if record["kind"] == "property" and (record.get("action") == "update") != ("effect" in record):
        yield "an update has an effect, and nothing else has one"


def _allowed(key: str, value: Any) -> bool:
    if not isinstance(value, str) or not value.strip():
        return False
    return value in VALUES.get(key, {value}) and bool(re.fullmatch(PATTERNS.get(key, ".*"), value))


def said_twice(records: Iterable[Record]) -> Iterator[str]:
    """Cases of which more than one record speaks, and replacements of which the record of the deletion says all."""
    every = list(records)
    for case, times in Counter(map(_case, every)).items():
        if times > 1:
            yield f"{' '.join(filter(None, case))}: {times} records"
    deletions = {_about(each): each for each in every if each.get("op") == "delete"}
    for each in every:
        deletion = deletions.get(_about(each)) if each.get("op") == "replace" else None
        if deletion and all(each.get(key) == deletion.get(key) for key in ("effect", "words", "remedy")):
            yield f"{_place(each)}: the same as delete"


def out_of_order(records: Iterable[Record]) -> Iterator[str]:
    """Records that stand after one that they go before: by type, component, property or operation, and case."""
    before: tuple[str, ...] = ()
    for each in records:
        here = _order(each)
        if here < before:
            yield f"{_place(each)}: after {' '.join(filter(None, before))}"
        before = here


def unknown_properties(records: Iterable[Record]) -> Iterator[str]:
    """Properties that the SDK does not have: nobody would ever look them up. Its modules must be loaded."""
    for each in records:
        named = each.get("properties", [each["property"]] if each["kind"] == "property" else [])
        if not named or named == ["*"] or each["type"].startswith(("hpc:", "pulumi:")):
            continue
        arguments = argument_class(each["type"])
        if arguments is None:
            yield f"{each['type']}: no such type"
            continue
        for path in named:
            if not _has(arguments, path.split(".")):
                yield f"{_place(each)} {path}: no such property"


NOT_KEPT = {
    # Pulumi makes a new name where the program gives none. Source: pulumi-terraform-bridge, `AutoName`.
    *("name", "namePrefix", "bucket", "bucketPrefix", "key", "roleId", "secretId", "accountId"),
    # The provider's own configuration takes their place.
    *("region", "project", "zone", "location", "deletionPolicy"),
}


def untold_removals(records: Iterable[Record], framework: Collection[str] = ()) -> Iterator[str]:
    """Inputs whose value a bridged provider keeps when they are removed, and of which no record says so.

    They are those that may be left out and whose output is always there: Optional and Computed in the provider's
    schema (pulumi-terraform-bridge pkg/tfgen, `variable.optional`). Types in `framework` set a default instead, which
    their provider's framework also calls Computed (terraform-plugin-framework, `Default`).
    """
    every = list(records)
    told = {(each["type"], path) for each in every for path in each.get("properties", ())}
    told |= {(each["type"], each["property"]) for each in every if each.get("when") == "removed"}
    for type in sorted({each["type"] for each in every if not each["type"].startswith(("hpc:", "pulumi:"))}):
        if type not in framework:
            computed = set(_computed(type)) - NOT_KEPT
            yield from (f"{type} {name}" for name in sorted(computed) if (type, name) not in told)


def _computed(type: str) -> Iterator[str]:
    arguments, resource = argument_class(type), resource_class(type)
    assert arguments
    assert resource
    known = properties(arguments)
    for _, name, getter in _types._py_properties(resource):
        output = get_type_hints(getter.fget)["return"]  # an Output of the type
        if name in known and not known[name].required and NoneType not in get_args(get_args(output)[0]):
            yield name


def _has(arguments: type, path: list[str]) -> bool:
    found = properties(arguments).get(path[0])
    if found is None or len(path) == 1:
        return found is not None
    types = [inner for each in alternatives(found.type) for inner in (each, *getattr(each, "__args__", ()))]
    flat = {inner for each in types for inner in alternatives(each) if isinstance(inner, type)}
    nested = [each for each in flat if hasattr(each, "_pulumi_input_type")]
    return any(_has(each, path[1:]) for each in nested) if nested else True  # a map takes any key


def uncovered(records: Iterable[Record], recording: Recording) -> set[str]:
    """Types without a record of their deletion, and inputs without a record that holds in every case."""
    by_type: dict[str, list[Record]] = {}
    for each in records:
        by_type.setdefault(each["type"], []).append(each)
    of_urn = {each.urn: each for each in recording.resources}
    return {
        fault
        for each in recording.resources
        for fault in _missing([one for one in by_type.get(each.type, ()) if _speaks_of(one, each, of_urn)], each)
    }


def _missing(records: list[Record], resource: RecordedResource) -> Iterator[str]:
    if not any(each.get("op") == "delete" for each in records):
        yield f"{resource.type} delete"
    for path in _leaves(resource.inputs):
        held = {*_parents(path), "*"}
        cases = {each.get("when") for each in records if each.get("property") in held}
        if None not in cases and not cases >= {"grows", "shrinks"}:
            yield f"{resource.type} {path}"


def _speaks_of(record: Record, resource: RecordedResource, of_urn: Mapping[str, RecordedResource]) -> bool:
    above, kinds, name = of_urn.get(resource.parent or ""), set(), resource.name
    if above is not None:
        name = name.removeprefix(above.name).lstrip("-/:")
    while above is not None:
        kinds.add(above.type.rpartition(":")[2])
        above = of_urn.get(above.parent or "")
    return record.get("within") in {None, *kinds} and fnmatchcase(name, record.get("name_like", "*"))


def _leaves(value: Any, path: str = "") -> set[str]:
    """Paths of all plain values, and of what is empty; lists have no index."""
    inner = list(value.items()) if isinstance(value, Mapping) else []
    if isinstance(value, list | tuple):
        return {leaf for each in value for leaf in _leaves(each, path)} or {path}
    return {leaf for key, each in inner for leaf in _leaves(each, f"{path}.{key}" if path else key)} or {path} - {""}


def _parents(path: str) -> Iterator[str]:
    while path:
        yield path
        path = path.rpartition(".")[0]


def _about(record: Record) -> tuple[str, ...]:
    return tuple(record.get(key, "") for key in ("type", "within", "name_like"))


def _case(record: Record) -> tuple[str, ...]:
    return (*_about(record), *(record.get(key, "") for key in ("kind", "property", "op", "when")))


def _order(record: Record) -> tuple[str, ...]:
    what = record.get("property", record.get("op", ""))
    return (record["type"], record.get("within", ""), what, record.get("when", ""), record.get("name_like", ""))


def _place(record: Record) -> str:
    keys = ("type", "within", "property", "op", "when", "name_like")
    return " ".join(str(record[key]) for key in keys if key in record)
