"""Ends the newest sessions of everyone who has more sessions on a cluster than allowed.

EventBridge invokes this function when someone starts a session, and on a schedule, because CloudTrail reports a start
minutes late or, without a trail, never. Each run compares all active sessions with the limit, so late, repeated and
simultaneous runs end the same sessions, or none.
"""

import logging
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

COUNTED = ("Connected", "Connecting", "Disconnected")
"""Statuses of sessions that count. A disconnected session can be resumed until it times out."""

log = logging.getLogger(__name__)
log.setLevel(logging.INFO)


class SessionsRemainError(Exception):
    """Raised if surplus sessions could not be ended, so that Lambda runs the function again."""


def handler(event: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Enforce the limit, whatever the event says."""
    retries = Config(retries={"mode": "standard", "max_attempts": 8})
    ended = limit_sessions(
        boto3.client("ssm", config=retries),
        boto3.client("ec2", config=retries),
        cluster=os.environ["HPC_CLUSTER"],
        config=os.environ["HPC_CONFIG"],
        role=os.environ["HPC_ROLE"],
        document=os.environ["HPC_DOCUMENT"],
        limit=int(os.environ["HPC_LIMIT"]),
    )
    return {"ended": ended}


def limit_sessions(
    ssm: Any, ec2: Any, *, cluster: str, config: str, role: str, document: str, limit: int
) -> list[str]:
    """End all sessions above `limit` for each owner, and return their ids.

    Only sessions count that were started with `document` on a node whose tags are `ClusterName` = `cluster`,
    `hpc:config` = `config` and `hpc:role` = `role`. Sessions with other documents, such as those of administrators as
    ssm-user, are neither counted nor ended.

    Raise SessionsRemainError if some of the sessions could not be ended.
    """
    nodes = set(_nodes(ec2, {"ClusterName": cluster, "hpc:config": config, "hpc:role": role}))
    ours = [each for each in _active(ssm) if each["Target"] in nodes and _name(each["DocumentName"]) == document]
    ended, failed = [], []
    for session in surplus(ours, limit):
        try:
            ssm.terminate_session(SessionId=session)
        except ClientError as error:
            if error.response["Error"]["Code"] != "DoesNotExistException":  # the session ended in the meantime
                failed.append(f"{session} ({error.response['Error']['Code']})")
        else:
            log.info("cluster %s: ended session %s, which is above the limit of %s", cluster, session, limit)
            ended.append(session)
    if failed:
        raise SessionsRemainError(f"cluster {cluster}: could not end {', '.join(failed)}")
    return ended


def surplus(sessions: Iterable[Mapping[str, Any]], limit: int) -> Iterator[str]:
    """Yield the ids of the sessions above the limit. Each owner keeps the oldest ones.

    Of sessions that started at the same time, those with the lowest ids count as the oldest, so that all runs choose
    the same ones.
    """
    of_owner = defaultdict(list)
    for each in sessions:
        if each["Status"] in COUNTED:
            of_owner[each["Owner"]].append((each["StartDate"], each["SessionId"]))
    for started in of_owner.values():
        yield from (session for _, session in sorted(started)[limit:])


def _name(document: str) -> str:
    """Return the name of a document that a user may have specified by its ARN."""
    return document.rpartition("/")[2]


def _nodes(ec2: Any, tags: Mapping[str, str]) -> Iterator[str]:
    filters = [{"Name": f"tag:{key}", "Values": [value]} for key, value in tags.items()]
    for page in ec2.get_paginator("describe_instances").paginate(Filters=filters):
        for reservation in page["Reservations"]:
            yield from (instance["InstanceId"] for instance in reservation["Instances"])


def _active(ssm: Any) -> Iterator[Mapping[str, Any]]:
    for page in ssm.get_paginator("describe_sessions").paginate(State="Active"):
        yield from page["Sessions"]
