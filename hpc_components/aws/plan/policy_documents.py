"""The policies of IAM in the inputs of a resource."""

from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.preview.resources import SECRET, UNKNOWN
from hpc_components.strict_json import InvalidJsonError, parse_json

_POLICIES = ("policy", "policyDocument", "inlinePolicy")


def statements_in(inputs: Any) -> Iterator[Mapping[str, Any]]:
    """The statements of every policy in the inputs, however deep, but for those that say who may take a role."""
    if isinstance(inputs, list):
        for each in inputs:
            yield from statements_in(each)
    elif isinstance(inputs, Mapping):
        for name, value in inputs.items():
            yield from statements_of(value) if name in _POLICIES else statements_in(value)


def statements_of(policy: Any) -> Iterator[Mapping[str, Any]]:
    """The statements of one policy; none where it is not known, or no JSON."""
    if policy in (UNKNOWN, SECRET):
        return
    try:
        document = parse_json(policy) if isinstance(policy, str) else policy
    except InvalidJsonError:  # HPC-INP-006 says so
        return
    statements = document.get("Statement", []) if isinstance(document, Mapping) else []
    yield from (each for each in as_list(statements) if isinstance(each, Mapping))


def as_list(value: Any) -> list[Any]:
    """IAM takes one value in place of a list of one."""
    return value if isinstance(value, list) else [value]
