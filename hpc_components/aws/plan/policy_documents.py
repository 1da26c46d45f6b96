from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.preview.resources import SECRET, UNKNOWN
from hpc_components.strict_json import InvalidJsonError, parse_json

_POLICIES = ("policy", "policyDocument", "inlinePolicy")


def statements_in(inputs: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the statements of all policies at any depth in `inputs`, except trust policies."""
    if isinstance(inputs, list):
        for each in inputs:
            yield from statements_in(each)
    elif isinstance(inputs, Mapping):
        for name, value in inputs.items():
            yield from statements_of(value) if name in _POLICIES else statements_in(value)


def statements_of(policy: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the statements of a policy, or nothing if the policy is unknown or malformed."""
    if policy in (UNKNOWN, SECRET):
        return
    try:
        document = parse_json(policy) if isinstance(policy, str) else policy
    except InvalidJsonError:  # malformed JSON is reported by HPC-INP-006
        return
    statements = document.get("Statement", []) if isinstance(document, Mapping) else []
    yield from (each for each in as_list(statements) if isinstance(each, Mapping))


def as_list(value: Any) -> list[Any]:
    """Wrap a single value in a list. IAM accepts both forms."""
    return value if isinstance(value, list) else [value]
