"""Whether a policy allows a call: as much of IAM's evaluation as the policies of this project need."""

import fnmatch
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

Allows = Callable[[str, Collection[str], Mapping[str, str]], bool]
"""Action, the names that one resource goes by, context keys -> whether it may be done."""

Part = tuple[str, str, str]
"""Sid of a statement, one of its actions and one of its resources."""

_TESTS: dict[str, Callable[[str, Sequence[str]], bool]] = {
    "StringEquals": lambda have, wanted: have in wanted,
    "Bool": lambda have, wanted: have in wanted,
    "StringLike": lambda have, wanted: any(fnmatch.fnmatchcase(have, each) for each in wanted),
}


def allows_all(action: str, resource: Collection[str], context: Mapping[str, str]) -> bool:
    """No policy at all."""
    return True


def policy(statements: Sequence[Mapping[str, Any]]) -> Allows:
    """What these statements allow together. A kind of statement or condition that is not known here is a KeyError."""

    def allows(action: str, resource: Collection[str], context: Mapping[str, str]) -> bool:
        return any(_applies(each, action, resource, context) for each in statements)

    return allows


def parts(statements: Sequence[Mapping[str, Any]]) -> list[Part]:
    """Return each action of a policy on each resource."""
    return [
        (each["Sid"], action, resource)
        for each in statements
        for action in _listed(each["Action"])
        for resource in _listed(each["Resource"])
    ]


def without(statements: Sequence[Mapping[str, Any]], part: Part) -> list[Mapping[str, Any]]:
    """Return the statements but for one action on one resource."""
    sid, action, resource = part
    rest = [each for each in statements if each["Sid"] != sid]
    (found,) = [each for each in statements if each["Sid"] == sid]
    others = {"Action": [each for each in _listed(found["Action"]) if each != action]}
    same = {"Action": action, "Resource": [each for each in _listed(found["Resource"]) if each != resource]}
    return [*rest, {**found, **others}, {**found, **same}]


def _applies(
    statement: Mapping[str, Any], action: str, resource: Collection[str], context: Mapping[str, str]
) -> bool:
    if statement["Effect"] != "Allow":
        raise KeyError(statement["Effect"])
    conditions = statement.get("Condition", {})
    return (
        action in _listed(statement["Action"])
        and any(fnmatch.fnmatchcase(name, each) for name in resource for each in _listed(statement["Resource"]))
        and all(_holds(kind, keys, context) for kind, keys in conditions.items())
    )


def _holds(kind: str, keys: Mapping[str, Any], context: Mapping[str, str]) -> bool:
    """A kind that ends in `IfExists` also holds for keys that the request lacks."""
    test, lenient = _TESTS[kind.removesuffix("IfExists")], kind.endswith("IfExists")
    return all(
        test(context[key], [_expanded(each, context) for each in _listed(wanted)]) if key in context else lenient
        for key, wanted in keys.items()
    )


def _expanded(text: str, context: Mapping[str, str]) -> str:
    """With its policy variables (`${aws:PrincipalAccount}`) replaced."""
    return re.sub(r"\$\{([^}]+)\}", lambda found: context[found[1]], text)


def _listed(value: str | Sequence[str]) -> Sequence[str]:
    return [value] if isinstance(value, str) else value
