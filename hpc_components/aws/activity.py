"""How `hpc audit` reads CloudTrail's event history: changes of a cluster's resources, with their callers.

Sources: AWS CLI command reference, cloudtrail lookup-events; CloudTrail API reference, LookupEvents (90 days, two
calls per second, newest first); CloudTrail user guide, "CloudTrail record contents" and "CloudTrail userIdentity
element"; Service Authorization Reference, AWS CloudTrail.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from hpc_components.aws.reach import PROGRAMS
from hpc_components.operate.cloud_log import MAX_ENTRIES, Change, CloudLog, OwnNames
from hpc_components.strict_json import parse_json

KEPT_DAYS = 90

_IAM_REGIONS = {"cn": "cn-north-1", "us-gov": "us-gov-west-1"}
"""Region that records the events of IAM, by the beginning of the cluster's region; elsewhere us-east-1. Source:
CloudTrail user guide, "CloudTrail concepts", global service events; IAM user guide, "Logging IAM and AWS STS API
calls"."""

_LAUNCHED = re.compile(r"(i|vol|eni)-[0-9a-f]{8,17}")

_MAX_NAME = 512
"""Length from which on a text of a request is a document rather than a name."""

_MAX_SHOWN = 5


def log(
    access: Mapping[str, Any], head: Mapping[str, Any], names: OwnNames, since: datetime, until: datetime
) -> CloudLog:
    """See `CloudActivity`. An event concerns the cluster if its request or its resources have one of its names."""
    region = str(access["region"])
    prefix = next((each for each in _IAM_REGIONS if region.startswith(f"{each}-")), "")
    iam_region = _IAM_REGIONS.get(prefix, "us-east-1")
    commands = [_command(region, "ReadOnly", "false", since, until)]
    if region != iam_region:
        commands.append(_command(iam_region, "EventSource", "iam.amazonaws.com", since, until))
    own_role = re.compile(rf"{re.escape(str(access['cluster']))}-head-role-[0-9a-f]{{7}}/i-.*")
    machine = str(head["instance_id"])

    def read(entry: Mapping[str, Any]) -> Change | None:
        event = parse_json(entry["CloudTrailEvent"])
        if event.get("readOnly") is True:
            return None
        session = _session_of_machine(event["userIdentity"])
        by_head = own_role.fullmatch(session) or session.endswith(f"/{machine}")
        named = list(dict.fromkeys(_named(entry, event, names)))
        if by_head or named:
            names.add(each for each in _texts(event.get("responseElements")) if _LAUNCHED.fullmatch(each))
        # the agent of Session Manager reports every few minutes
        about_itself = session != "" and named == [session.rpartition("/")[2]]
        return None if by_head or about_itself or not named else _change(event, named)

    return CloudLog(
        title="CloudTrail's event history",
        program=PROGRAMS[0],
        permission="cloudtrail:LookupEvents",
        commands=commands,
        # the client slows down when it is throttled. Source: AWS CLI user guide, "AWS CLI retries"
        environment={"AWS_RETRY_MODE": "adaptive", "AWS_MAX_ATTEMPTS": "10"},
        read=read,
    )


def _command(region: str, key: str, value: str, since: datetime, until: datetime) -> tuple[str, ...]:
    return (
        "aws", "cloudtrail", "lookup-events", "--region", region,
        "--lookup-attributes", f"AttributeKey={key},AttributeValue={value}",
        "--start-time", f"{since:%Y-%m-%dT%H:%M:%SZ}", "--end-time", f"{until:%Y-%m-%dT%H:%M:%SZ}",
        "--max-items", str(MAX_ENTRIES), "--query", "Events", "--output", "json",
    )  # fmt: skip


def _change(event: Mapping[str, Any], named: list[str]) -> Change:
    service = str(event["eventSource"]).removesuffix(".amazonaws.com")
    more = f" and {len(named) - _MAX_SHOWN} more" if len(named) > _MAX_SHOWN else ""
    return Change(
        id=str(event["eventID"]),
        at=datetime.fromisoformat(event["eventTime"]),
        who=_who(event["userIdentity"]),
        what=f"{service} {event['eventName']} {', '.join(named[:_MAX_SHOWN])}{more}",
        source=str(event.get("sourceIPAddress") or ""),
        failed=str(event.get("errorCode") or ""),
    )


def _who(identity: Mapping[str, Any]) -> str:
    if identity.get("type") == "Root":
        return "root"
    named = (identity.get(key) for key in ("userName", "invokedBy", "principalId", "type"))
    return _session(identity) or next((str(each) for each in named if each), "")


def _session(identity: Mapping[str, Any]) -> str:
    """Return `<role>/<session>` of an assumed role, or an empty string."""
    return str(identity.get("arn") or "").partition(":assumed-role/")[2]


def _session_of_machine(identity: Mapping[str, Any]) -> str:
    """Return `<role>/<id>` of a machine that uses its own role, or an empty string.

    Whoever may assume a role chooses the name of the session; `ec2RoleDelivery` is set only if the machine's metadata
    service delivered the credentials. Source: CloudTrail user guide, "CloudTrail userIdentity element".
    """
    return _session(identity) if (identity.get("sessionContext") or {}).get("ec2RoleDelivery") else ""


def _named(entry: Mapping[str, Any], event: Mapping[str, Any], names: OwnNames) -> Iterator[str]:
    resources = (each.get("ResourceName") for each in entry.get("Resources") or ())
    for text in (*_texts(event.get("requestParameters")), *filter(None, resources)):
        if len(text) <= _MAX_NAME:
            yield from names.found_in(text)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(each)
