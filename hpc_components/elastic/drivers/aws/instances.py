import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from hpc_components.elastic.model import Instance, InstanceState, LoginNode, Pool
from hpc_components.elastic.names import nodes_of

STATES = {
    "pending": InstanceState.PENDING,
    "running": InstanceState.RUNNING,
    # only an administrator can have stopped the node; its machine still costs money, and may be started again
    "stopping": InstanceState.RUNNING,
    "stopped": InstanceState.RUNNING,
    "shutting-down": InstanceState.STOPPING,
    "terminated": InstanceState.GONE,
}
PURCHASES = {"spot": "spot", "capacity-block": "capacity_block"}
"""Maps EC2's instance lifecycle to `purchase` values."""

TAKEN = frozenset(
    {
        "Server.InsufficientInstanceCapacity",
        "Server.ScheduledStop",
        "Server.SpotInstanceShutdown",
        "Server.SpotInstanceTermination",
    }
)
"""State reason codes of machines that EC2 reclaimed through no fault of their software. Source: EC2 API reference,
StateReason, read 2026-11-22. The code for terminations through the API is left out, so that machines are not replaced
endlessly if a program keeps terminating them."""

_ENDED_AT = re.compile(r"\((\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?:GMT|UTC)\)")
"""The time in a StateTransitionReason such as `User initiated (2026-11-28 12:00:00 GMT)`. Reclaimed spot machines may
have none. Sources: EC2 API reference, Instance; Cloud Custodian, c7n/resources/ec2.py, StateTransitionAge."""


def instances_in(page: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return (each for reservation in page["Reservations"] for each in reservation["Instances"])


def instance_of(raw: Mapping[str, Any], more_tags: Mapping[str, str] | None = None) -> Instance:
    tags = {tag["Key"]: tag["Value"] for tag in raw.get("Tags", ())} | dict(more_tags or {})
    queue, state = tags.get("hpc:queue", ""), raw["State"]["Name"]
    return Instance(
        id=raw["InstanceId"],
        node=_node(queue, tags.get("hpc:nodes", ""), raw["AmiLaunchIndex"]) or raw["InstanceId"],
        token=tags.get("hpc:launch", ""),
        pool=Pool(queue=queue, machine=raw["InstanceType"], zone=tags.get("hpc:zone", ""), purchase=_purchase(raw)),
        state=STATES[state],
        launched=raw["LaunchTime"].timestamp(),
        failing=f"EC2 reports the machine as {state}" if state in ("stopping", "stopped") else "",
        taken=raw.get("StateReason", {}).get("Code") in TAKEN,
        ended=_ended(raw.get("StateTransitionReason", "")) if state in ("shutting-down", "terminated") else None,
    )


def login_node_of(raw: Mapping[str, Any]) -> LoginNode:
    zone = raw.get("Placement", {}).get("AvailabilityZoneId", "")
    return LoginNode(address=raw["PrivateIpAddress"], machine=raw["InstanceType"], zone=zone)


def _ended(transition: str) -> float | None:
    """Return the time at which the machine began to shut down, which ended its billing, or None if it is unknown.

    Source: EC2 user guide, "Instance lifecycle": a machine that is shutting down is not billed.
    """
    at = _ENDED_AT.search(transition)
    return datetime.fromisoformat(f"{at[1]}+00:00").timestamp() if at else None


def _node(queue: str, tag: str, index: int) -> str:
    """Return the node name, or an empty string if the daemon did not launch the machine."""
    nodes = _nodes(queue, tag)
    return nodes[index] if index < len(nodes) else ""


@lru_cache(maxsize=256)
def _nodes(queue: str, tag: str) -> tuple[str, ...]:
    try:
        return nodes_of(queue, tag)
    except ValueError:
        return ()


def _purchase(raw: Mapping[str, Any]) -> str:
    reserved = "CapacityReservationTarget" in raw.get("CapacityReservationSpecification", {})
    return PURCHASES.get(raw.get("InstanceLifecycle", ""), "reservation" if reserved else "on_demand")
