"""Text formats that AWS checks but the provider does not."""

import json
import re
from collections.abc import Mapping
from typing import Any

from hpc_components.preview.inputs.formats import FORMATS as COMMON
from hpc_components.preview.inputs.formats import Format, json_text, pattern

_ARN = re.compile(r"arn:(aws[a-z-]*|\*):[a-z0-9-]+:[^:]*:[^:]*:.+")
_S3_URI = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?")
_BUCKET = re.compile(r"(?!\d+\.\d+\.\d+\.\d+$)(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_INSTANCE_TYPE = re.compile(r"[a-z][a-z0-9-]*\.(metal(-[a-z0-9]+)?|nano|micro|small|medium|large|\d*xlarge)")
_CRON = re.compile(r"(rate\(\d+ (minute|minutes|hour|hours|day|days)\)|cron\(\S+( \S+){5}\)|at\(\S+\))")


def _policy(value: Any) -> tuple[str, str] | None:
    if fault := json_text(value):
        return fault
    document = json.loads(value) if isinstance(value, str) else value
    if not isinstance(document, Mapping):
        return "is not a policy document", "write a JSON object with `Version` and `Statement`"
    if extra := set(document) - {"Version", "Id", "Statement"}:
        return (
            f"has an unknown top-level key {_first(extra)}",
            "use only `Version`, `Id` and `Statement` at the top level",
        )
    if document.get("Version", "2012-10-17") not in ("2012-10-17", "2008-10-17"):
        return f"has version {document['Version']!r}, which does not exist", "use `2012-10-17`"
    statements = document.get("Statement") or []
    for position, statement in enumerate(statements if isinstance(statements, list) else [statements]):
        if reason := _statement(statement):
            return f"statement {position + 1} {reason}", "see the IAM policy grammar"
    return None if statements else ("has no statement", "add at least one statement under `Statement`")


_STATEMENT_KEYS = frozenset(
    ["Sid", "Effect", "Principal", "NotPrincipal", "Action", "NotAction", "Resource", "NotResource", "Condition"]
)


def _statement(statement: Any) -> str | None:
    if not isinstance(statement, Mapping):
        return "is not an object"
    if extra := set(statement) - _STATEMENT_KEYS:
        return f"has an unknown key {_first(extra)}"
    if statement.get("Effect") not in ("Allow", "Deny"):
        return f"has Effect {statement.get('Effect')!r} instead of `Allow` or `Deny`"
    if len({"Action", "NotAction"} & statement.keys()) != 1:
        return "must have either `Action` or `NotAction`"
    actions = statement.get("Action", statement.get("NotAction"))
    for action in actions if isinstance(actions, list) else [actions]:
        if action not in ("*", "<unknown>") and ":" not in str(action):
            return f"has action {action!r} without a service prefix (as in `ec2:RunInstances`)"
    if not {"Resource", "NotResource", "Principal", "NotPrincipal"} & statement.keys():
        return "has neither a resource nor a principal"
    return None


def _first(keys: set[str]) -> str:
    return f"`{min(keys)}`"


FORMATS: Mapping[str, Format] = {
    **COMMON,
    "arn": pattern(_ARN, "is not an ARN", "write `arn:aws:<service>:<region>:<account>:<resource>`"),
    "bucket_name": pattern(
        _BUCKET,
        "is not a bucket name",
        "use 3 to 63 characters (a-z, 0-9, dots and hyphens), beginning and ending with a letter or digit",
    ),
    "instance_type": pattern(
        _INSTANCE_TYPE, "is not an instance type", "write the family and size, such as `c7i.48xlarge`"
    ),
    "policy": _policy,
    "s3_uri": pattern(_S3_URI, "is not an S3 URI", "write `s3://<bucket>/<prefix>`"),
    "schedule": pattern(_CRON, "is not a schedule", "write `rate(5 minutes)` or `cron(0 12 * * ? *)`"),
}
"""Maps the format names in `known_values.json` to their checks."""
