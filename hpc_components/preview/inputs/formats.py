"""Formats of texts that no provider checks before the cloud does."""

import base64
import binascii
import ipaddress
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["FORMATS", "Format"]

Format = Callable[[Any], tuple[str, str] | None]
"""Gives reason and remedy for a text that does not have the format."""

_ARN = re.compile(r"arn:(aws[a-z-]*|\*):[a-z0-9-]+:[^:]*:[^:]*:.+")
_S3_URI = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?")
_BUCKET = re.compile(r"(?!\d+\.\d+\.\d+\.\d+$)(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_SSH_KEY = re.compile(r"(ssh-rsa|ssh-ed25519|ecdsa-sha2-nistp\d+) [A-Za-z0-9+/]+={0,3}( .*)?")
_INSTANCE_TYPE = re.compile(r"[a-z][a-z0-9-]*\.(metal(-[a-z0-9]+)?|nano|micro|small|medium|large|\d*xlarge)")
_PROTOCOLS = ("tcp", "udp", "icmp", "icmpv6", "all", "-1")
_CRON = re.compile(r"(rate\(\d+ (minute|minutes|hour|hours|day|days)\)|cron\(\S+( \S+){5}\)|at\(\S+\))")


def _ipv4(value: Any) -> tuple[str, str] | None:
    try:
        ipaddress.IPv4Address(value)
    except ValueError as error:
        return f"is no IPv4 address ({error})", "write four numbers from 0 to 255, `10.0.0.4`"
    return None


def _cidr(network: Callable[[str], Any], example: str) -> Format:
    def check(value: Any) -> tuple[str, str] | None:
        way_out = f"write the first address and the length of the prefix, `{example}`"
        if "/" not in str(value):
            return "is no CIDR block: the length of the prefix is missing", way_out
        try:
            network(value)
        except ValueError as error:
            return f"is no CIDR block ({error})", way_out
        return None

    return check


def _pattern(pattern: re.Pattern[str], reason: str, remedy: str) -> Format:
    return lambda value: None if pattern.fullmatch(str(value)) else (reason, remedy)


def _base64(value: Any) -> tuple[str, str] | None:
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError, TypeError):
        return "is not base64", "encode it: `base64.b64encode(text.encode()).decode()`"
    return None


def _json(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, str):
        return None
    try:
        json.loads(value)
    except json.JSONDecodeError as error:
        return f"is not JSON (line {error.lineno}, column {error.colno}: {error.msg})", "make it with `json.dumps`"
    return None


def _protocol(value: Any) -> tuple[str, str] | None:
    text = str(value).lower()
    if text in _PROTOCOLS or (text.isdecimal() and int(text) <= 255):
        return None
    return "is no IP protocol", "write `tcp`, `udp`, `icmp`, `icmpv6`, `-1` for all, or a number from 0 to 255"


def _policy(value: Any) -> tuple[str, str] | None:
    """IAM policy grammar: what every policy document must have, whatever it is attached to."""
    if fault := _json(value):
        return fault
    document = json.loads(value) if isinstance(value, str) else value
    if not isinstance(document, Mapping):
        return "is no policy document", "write a JSON object with `Version` and `Statement`"
    if extra := set(document) - {"Version", "Id", "Statement"}:
        return f"has unknown key {_first(extra)} at its top", "`Version`, `Id` and `Statement` are allowed there"
    if document.get("Version", "2012-10-17") not in ("2012-10-17", "2008-10-17"):
        return f"has version {document['Version']!r}, which does not exist", "use `2012-10-17`"
    statements = document.get("Statement") or []
    for position, statement in enumerate(statements if isinstance(statements, list) else [statements]):
        if reason := _statement(statement):
            return f"statement {position + 1} {reason}", "see the IAM policy grammar"
    return None if statements else ("has no statement", "write at least one under `Statement`")


_STATEMENT_KEYS = frozenset(
    ["Sid", "Effect", "Principal", "NotPrincipal", "Action", "NotAction", "Resource", "NotResource", "Condition"]
)


def _statement(statement: Any) -> str | None:
    if not isinstance(statement, Mapping):
        return "is no object"
    if extra := set(statement) - _STATEMENT_KEYS:
        return f"has unknown key {_first(extra)}"
    if statement.get("Effect") not in ("Allow", "Deny"):
        return f"has Effect {statement.get('Effect')!r} where `Allow` or `Deny` is needed"
    if len({"Action", "NotAction"} & statement.keys()) != 1:
        return "needs one of `Action` and `NotAction`"
    actions = statement.get("Action", statement.get("NotAction"))
    for action in actions if isinstance(actions, list) else [actions]:
        if action not in ("*", "<unknown>") and ":" not in str(action):
            return f"has action {action!r} without a service (`ec2:RunInstances`)"
    if not {"Resource", "NotResource", "Principal", "NotPrincipal"} & statement.keys():
        return "names neither a resource nor a principal"
    return None


def _first(keys: set[str]) -> str:
    return f"`{min(keys)}`"


FORMATS: Mapping[str, Format] = {
    "arn": _pattern(_ARN, "is no ARN", "write `arn:aws:<service>:<region>:<account>:<resource>`"),
    "base64": _base64,
    "bucket_name": _pattern(
        _BUCKET, "is no bucket name", "use 3 to 63 of a-z, 0-9, dots and hyphens, with a letter or digit at both ends"
    ),
    "instance_type": _pattern(_INSTANCE_TYPE, "is no instance type", "write family and size, `c7i.48xlarge`"),
    "ipv4": _ipv4,
    "ipv4_cidr": _cidr(ipaddress.IPv4Network, "10.0.0.0/16"),
    "ipv6_cidr": _cidr(ipaddress.IPv6Network, "2001:db8::/56"),
    "json": _json,
    "policy": _policy,
    "protocol": _protocol,
    "s3_uri": _pattern(_S3_URI, "is no S3 URI", "write `s3://<bucket>/<prefix>`"),
    "schedule": _pattern(_CRON, "is no schedule", "write `rate(5 minutes)` or `cron(0 12 * * ? *)`"),
    "ssh_public_key": _pattern(_SSH_KEY, "is no OpenSSH public key", "give the content of an `id_ed25519.pub`"),
}
