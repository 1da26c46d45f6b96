"""Terminates all compute nodes of a cluster and waits until they and their network interfaces are gone.

A stack invokes this function whenever the reaper is created, changed or destroyed; the function acts only on
`delete`. Each round lists what is left, terminates what is still running, and waits. The function can therefore be
invoked again at any point, and a throttled or failed call costs only one round. If anything remains at the deadline,
the function raises an error that stops the destroy. Without that error, the destroy would go on to fail at the
subnets and leave the nodes running.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

BATCH = 1000
"""Maximum number of instances per TerminateInstances call. Source: EC2 API reference, TerminateInstances."""

ROUND_SECONDS = 10
MARGIN_SECONDS = 15
"""Seconds reserved for responding before Lambda stops the function."""

GOING = ("shutting-down", "terminated")
RETRY_CODES = frozenset(
    {
        "InternalError",
        "RequestLimitExceeded",
        "ServiceUnavailable",
        "Throttling",
        "ThrottlingException",
        "Unavailable",
    }
)

CODES_OF_ONE = frozenset({"InvalidInstanceID.NotFound", "OperationNotPermitted"})
"""Error codes caused by a single instance in a call: one that no longer exists or is protected from termination."""

log = logging.getLogger(__name__)
log.setLevel(logging.INFO)


class NodesRemainError(Exception):
    """Raised if any of the cluster's nodes or network interfaces remain at the deadline."""


@dataclass(frozen=True)
class Plan:
    """The work for one round."""

    terminate: tuple[tuple[str, ...], ...]
    """Ids of the instances to terminate, one tuple per call."""
    remaining: tuple[str, ...]
    """Ids of all instances and network interfaces that are not gone yet."""


def plan(instances: Mapping[str, str], interfaces: Iterable[str], batch: int = BATCH) -> Plan:
    """Return the work to do for `instances` (id -> state) and network `interfaces` (ids)."""
    there = sorted(name for name, state in instances.items() if state != "terminated")
    running = [name for name in there if instances[name] not in GOING]
    calls = tuple(tuple(running[start : start + batch]) for start in range(0, len(running), batch))
    return Plan(calls, (*there, *sorted(interfaces)))


def handler(event: Mapping[str, Any], context: Any) -> dict[str, Any]:
    """Handle an event such as `{"cluster": ..., "config": ..., "tf": {"action": "create" | "update" | "delete"}}`."""
    action = event.get("tf", {}).get("action")
    if action != "delete":
        return {"action": action, "gone": 0}
    ec2 = boto3.client("ec2", config=Config(retries={"mode": "standard", "max_attempts": 8}))
    seconds = context.get_remaining_time_in_millis() / 1000 - MARGIN_SECONDS
    return {"action": action, "gone": reap(ec2, event["cluster"], event["config"], seconds)}


def reap(
    ec2: Any,
    cluster: str,
    config: str,
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Terminate the compute nodes of `cluster`, wait until they are gone, and return how many were terminated.

    The tag `hpc:config` must equal `config`, because another stack may have a cluster with the same name.

    Raise NodesRemainError if any nodes or network interfaces remain after `seconds`, or ClientError for an error that
    a retry can't fix, such as a missing permission.
    """
    deadline = clock() + seconds
    ended: set[str] = set()
    ours = _filters(cluster, config)
    while True:
        todo = None
        try:
            instances = dict(_instances(ec2, ours))
            todo = plan(instances, _interfaces(ec2, ours))
            for names in todo.terminate:
                ended.update(_terminate(ec2, names))
        except ClientError as error:
            if error.response["Error"]["Code"] not in RETRY_CODES:
                raise
            log.warning("trying again: %s", error)
        if todo is not None and not todo.remaining:
            return len(ended)
        if clock() + ROUND_SECONDS > deadline:
            raise NodesRemainError(_message(cluster, seconds, todo))
        log.info("cluster %s: %s left", cluster, "?" if todo is None else len(todo.remaining))
        sleep(ROUND_SECONDS)


def _terminate(ec2: Any, names: tuple[str, ...]) -> Iterator[str]:
    """Terminate instances and yield their ids. If a single instance makes the call fail, split the list in half and
    try each half separately.
    """
    try:
        ec2.terminate_instances(InstanceIds=list(names))
    except ClientError as error:
        if error.response["Error"]["Code"] not in CODES_OF_ONE:
            raise
        if len(names) == 1:
            log.warning("can't terminate %s: %s", names[0], error)
            return
        half = len(names) // 2
        yield from _terminate(ec2, names[:half])
        yield from _terminate(ec2, names[half:])
    else:
        yield from names


def _filters(cluster: str, config: str) -> list[dict[str, Any]]:
    return [
        {"Name": "tag:ClusterName", "Values": [cluster]},
        {"Name": "tag:hpc:config", "Values": [config]},
        {"Name": "tag:hpc:role", "Values": ["compute"]},
    ]


def _instances(ec2: Any, ours: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for page in ec2.get_paginator("describe_instances").paginate(Filters=ours, MaxResults=1000):
        for reservation in page["Reservations"]:
            for instance in reservation["Instances"]:
                yield instance["InstanceId"], instance["State"]["Name"]


def _interfaces(ec2: Any, ours: list[dict[str, Any]]) -> Iterator[str]:
    pages = ec2.get_paginator("describe_network_interfaces").paginate(Filters=ours, MaxResults=1000)
    for page in pages:
        for interface in page["NetworkInterfaces"]:
            yield interface["NetworkInterfaceId"]


def _message(cluster: str, seconds: float, todo: Plan | None) -> str:
    if todo is None:
        return f"cluster {cluster}: EC2 did not respond within {seconds:.0f} s; run the destroy again"
    shown = ", ".join(todo.remaining[:20])
    more = f" and {len(todo.remaining) - 20} more" if len(todo.remaining) > 20 else ""
    return (
        f"cluster {cluster}: still there after {seconds:.0f} s: {shown}{more}; find out why, then run the destroy "
        "again"
    )
