"""IAM policies: statements as plain data, and the documents made of them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pulumi import Input, Output

Conditions = Mapping[str, Mapping[str, Input[str] | Sequence[str]]]
"""Operator -> condition key -> value or values."""


@dataclass(frozen=True)
class Statement:
    """One thing that a policy allows."""

    sid: str
    """Its name: letters and digits."""
    actions: Sequence[str]
    """`service:Action`, none with a wildcard."""
    resources: Sequence[Input[str]]
    """ARNs, or `*` alone where the API knows no other."""
    conditions: Conditions = field(default_factory=dict)
    """Operator -> condition key -> value or values."""

    def to_dict(self) -> dict[str, Any]:
        """As in a policy document."""
        allowed = {
            "Sid": self.sid,
            "Effect": "Allow",
            "Action": list(self.actions),
            "Resource": list(self.resources),
        }
        return {**allowed, "Condition": self.conditions} if self.conditions else allowed


def policy_document(statements: Iterable[Statement]) -> Input[str]:
    """The policy document as JSON; plain text unless a resource or a condition's value is an Output."""
    statements = tuple(statements)
    document = {"Version": "2012-10-17", "Statement": [statement.to_dict() for statement in statements]}
    return json.dumps(document) if all(map(_is_plain, statements)) else Output.json_dumps(document)


def _is_plain(statement: Statement) -> bool:
    compared = [value for keys in statement.conditions.values() for value in keys.values()]
    return all(isinstance(value, Sequence) for value in (*statement.resources, *compared))


def trust_document(service: str) -> str:
    """The trust policy that lets the AWS service `service`, such as `ec2.amazonaws.com`, assume a role."""
    allow = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    return json.dumps({"Version": "2012-10-17", "Statement": [allow]})


def arn(service: str, resource: str, *, region: str = "*", account: str = "*") -> str:
    """An ARN of the commercial partition, the only one whose regions the catalogue holds."""
    return f"arn:aws:{service}:{region}:{account}:{resource}"
