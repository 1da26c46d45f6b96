from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hpc_components.elastic.drivers.gcp.planning import LAUNCH
from hpc_components.elastic.model import Instance, InstanceState, Pool
from hpc_components.elastic.names import queue_of

FIELDS = (
    "id,name,zone,status,creationTimestamp,machineType,labels,resourcePolicies,scheduling/provisioningModel,"
    "scheduling/instanceTerminationAction,reservationAffinity/consumeReservationType"
)
"""Fields to request for each machine. They make up about a tenth of the machine's data."""

PURCHASES = {"SPOT": "spot", "FLEX_START": "flex_start", "RESERVATION_BOUND": "reservation"}
COMING = frozenset({"PENDING", "PROVISIONING", "STAGING"})
STOPPING = frozenset({"DEPROVISIONING", "PENDING_STOP", "STOPPING"})
STOPPED = frozenset({"STOPPED", "SUSPENDED", "SUSPENDING", "TERMINATED"})
"""States of a machine that has shut down or was stopped. Its disks still cost money. Source: Compute Engine
documentation, "Compute Engine instance lifecycle"."""


@dataclass(frozen=True)
class Machine:
    """A machine, with details that only this driver uses."""

    instance: Instance
    name: str
    """Machine name, which a later machine may reuse."""
    policies: frozenset[str]
    cluster: str
    """Value of the label `clustername` if the machine is labelled as a compute node. Otherwise empty, and the machine
    does not appear in any list."""


def machine_id(zone: str, name: str, numeric: str) -> str:
    """Return `<zone>/<name>/<number>`. The number is unique and permanent."""
    return f"{zone}/{name}/{numeric}"


def parts_of(id: str) -> tuple[str, str, str]:
    """Split a `machine_id` into zone, name and number. For any other string, some of the parts are empty."""
    zone, _, rest = id.partition("/")
    name, _, numeric = rest.partition("/")
    return zone, name, numeric


def machines_in(page: Mapping[str, Any], cluster: str) -> Iterator[Machine]:
    """Yield the machines on one page of a list. The list may cover one zone or all zones."""
    items = page.get("items") or ()
    if isinstance(items, Mapping):
        for scope in items.values():
            yield from (machine_in(raw, cluster) for raw in scope.get("instances") or ())
    else:
        yield from (machine_in(raw, cluster) for raw in items)


def machine_in(raw: Mapping[str, Any], cluster: str) -> Machine:
    name, zone, labels = raw["name"], tail(raw["zone"]), raw.get("labels") or {}
    scheduling = raw.get("scheduling") or {}
    state, failing = _state(raw["status"], ends=scheduling.get("instanceTerminationAction") == "DELETE")
    node = name.removeprefix(f"{cluster}-")
    reserved = (raw.get("reservationAffinity") or {}).get("consumeReservationType") == "SPECIFIC_RESERVATION"
    purchase = "reservation" if reserved else PURCHASES.get(scheduling.get("provisioningModel", ""), "on_demand")
    pool = Pool(queue=queue_of(node), machine=tail(raw["machineType"]), zone=zone, purchase=purchase)
    instance = Instance(
        id=machine_id(zone, name, str(raw["id"])),
        node=node,
        token=labels.get(LAUNCH, ""),
        pool=pool,
        state=state,
        launched=_epoch(raw["creationTimestamp"]),
        failing=failing,
    )
    policies = frozenset(map(tail, raw.get("resourcePolicies") or ()))
    cluster = labels.get("clustername", "") if labels.get("hpc_role") == "compute" else ""
    return Machine(instance, name, policies, cluster)


def _state(status: str, *, ends: bool) -> tuple[InstanceState, str]:
    """Return (state, problem with the machine). The problem is empty for a healthy machine.

    `ends` means that Google deletes the machine when the machine stops.
    """
    if status in COMING:
        return InstanceState.PENDING, ""
    if status in STOPPED or (status in STOPPING and not ends):
        # Report the machine as running, so that the daemon terminates it. Terminating a machine again does no harm if
        # Google is already deleting it.
        return InstanceState.RUNNING, f"Google Cloud reports the machine as {status}"
    return (InstanceState.STOPPING if status in STOPPING else InstanceState.RUNNING), ""


def tail(url: str) -> str:
    return url.rpartition("/")[2]


def _epoch(text: str) -> float:
    """Parse a time such as `2026-11-22T02:03:04.567-08:00`."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
