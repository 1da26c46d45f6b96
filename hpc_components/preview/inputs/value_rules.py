import base64
import binascii
import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.preview.inputs.formats import Format
from hpc_components.preview.inputs.input_facts import InputFacts, Rule
from hpc_components.preview.inputs.input_fault import PropertyFault, closest
from hpc_components.preview.nested import is_open
from hpc_components.spec.input_rules import FaultKind


def value_rule_faults(facts: InputFacts, type: str, inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    for path, pattern, value in _leaves(inputs, "", ""):
        rule = facts.rule(type, pattern)
        if rule is not None and not is_open(value) and value is not None and value != "":
            yield from _judge(rule, facts.formats, path, value)


@functools.cache
def paths_with_rules(facts: InputFacts, type: str) -> frozenset[str]:
    """Return the paths that have type-specific rules, which take precedence over the SDK's documentation."""
    return frozenset(path.removesuffix("[]") for path in facts.properties.get(type, ()))


def _judge(rule: Rule, formats: Mapping[str, Format], path: str, value: Any) -> Iterator[PropertyFault]:
    if "values" in rule and value not in rule["values"] and str(value) not in map(str, rule["values"]):
        listed = ", ".join(f"`{each}`" for each in rule["values"])
        remedy = closest(str(value), [str(each) for each in rule["values"]])
        reason = f"is not one of {listed}"
        yield PropertyFault(kind=FaultKind.NOT_ALLOWED, path=path, value=value, reason=reason, remedy=remedy)
    if "range" in rule and (number := _number(value)) is not None:
        low, high = rule["range"]
        if not low <= number <= high:
            yield PropertyFault(
                kind=FaultKind.OUT_OF_RANGE,
                path=path,
                value=value,
                reason="is out of range",
                remedy=f"use a value from {low} to {high}",
            )
    if "pattern" in rule and not re.fullmatch(rule["pattern"], str(value)):
        yield PropertyFault(
            kind=FaultKind.MALFORMED,
            path=path,
            value=value,
            reason="has the wrong format",
            remedy=f"write a value such as `{rule['example']}`",
        )
    if "format" in rule and (wrong := formats[rule["format"]](value)):
        yield PropertyFault(kind=FaultKind.MALFORMED, path=path, value=value, reason=wrong[0], remedy=wrong[1])
    elif "max_decoded_bytes" in rule and (size := _decoded_size(value)) > rule["max_decoded_bytes"]:
        reason = f"is {size} bytes long, more than the maximum of {rule['max_decoded_bytes']}"
        yield PropertyFault(
            kind=FaultKind.OUT_OF_RANGE,
            path=path,
            value=f"{value[:20]}...",
            reason=reason,
            remedy="shorten the data, and fetch the rest at boot",
        )


def _leaves(value: Any, path: str, pattern: str) -> Iterator[tuple[str, str, Any]]:
    """Yield (path, path with `[]` in place of indexes, value) for every value, including mappings and lists."""
    if pattern:
        yield path, pattern, value
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _leaves(each, f"{path}.{name}" if path else name, f"{pattern}.{name}" if pattern else name)
    elif isinstance(value, list):
        for position, each in enumerate(value):
            yield from _leaves(each, f"{path}[{position}]", f"{pattern}[]")


def _number(value: Any) -> float | None:
    try:
        return None if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None


def _decoded_size(value: Any) -> int:
    try:
        return len(base64.b64decode(value))
    except (binascii.Error, ValueError, TypeError):
        return 0
