import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pulumi import Input, Output

Conditions = Mapping[str, Mapping[str, Input[str] | Sequence[str]]]
"""Maps each operator to its condition keys and their values."""


@dataclass(frozen=True)
class Statement:
    sid: str
    """Name of the statement; letters and digits only."""
    actions: Sequence[str]
    """Actions in the form `service:Action`, without wildcards."""
    resources: Sequence[Input[str]]
    """ARNs, or a single `*` if the API doesn't support resource-level permissions."""
    conditions: Conditions = field(default_factory=dict)
    effect: Literal["Allow", "Deny"] = "Allow"

    def to_dict(self) -> dict[str, Any]:
        allowed = {
            "Sid": self.sid,
            "Effect": self.effect,
            "Action": list(self.actions),
            "Resource": list(self.resources),
        }
        return {**allowed, "Condition": self.conditions} if self.conditions else allowed


def policy_document(statements: Iterable[Statement]) -> Input[str]:
    """Return the policy document as JSON. The result is plain text unless a resource or a condition value is an
    Output.
    """
    statements = tuple(statements)
    document = {"Version": "2012-10-17", "Statement": [statement.to_dict() for statement in statements]}
    return json.dumps(document) if all(map(_is_plain, statements)) else Output.json_dumps(document)


def _is_plain(statement: Statement) -> bool:
    compared = [value for keys in statement.conditions.values() for value in keys.values()]
    return all(isinstance(value, Sequence) for value in (*statement.resources, *compared))


def trust_document(service: str) -> str:
    allow = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return json.dumps({"Version": "2012-10-17", "Statement": [allow]})


def trust_roles(roles: Input[str] | Sequence[Input[str]], *, external_id: str = "") -> Output[str]:
    """Return the trust policy of a role that only these roles, given by their ARNs, may assume.

    An external id keeps others from making them assume the role. Source: IAM user guide, "The confused deputy
    problem".
    """
    allow: dict[str, Any] = {"Effect": "Allow", "Principal": {"AWS": roles}, "Action": "sts:AssumeRole"}
    if external_id:
        allow["Condition"] = {"StringEquals": {"sts:ExternalId": external_id}}
    return Output.json_dumps({"Version": "2012-10-17", "Statement": [allow]})


def arn(service: str, resource: str, *, region: str = "*", account: str = "*") -> str:
    """Return an ARN in the commercial partition, which contains all regions in the catalogue."""
    return f"arn:aws:{service}:{region}:{account}:{resource}"


def roles_below(path: str) -> str:
    """Return a pattern for the ARNs of all roles whose path begins with `path`."""
    return arn("iam", f"role{path}*", region="")
