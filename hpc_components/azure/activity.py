"""How `hpc audit` reads Azure's activity log: changes in a cluster's resource groups, with their callers.

Sources: Azure CLI reference, az monitor activity-log list; Azure Monitor documentation, "Activity log" (90 days) and
"Azure activity log event schema"; Azure permissions reference, Microsoft.Insights.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hpc_components.azure.reach import PROGRAMS, group_of
from hpc_components.operate.cloud_log import MAX_ENTRIES, Change, CloudLog, OwnNames

KEPT_DAYS = 90

_CHANGES = ("write", "delete", "action")
"""Last words of operations in the category Administrative."""


def log(
    access: Mapping[str, Any], head: Mapping[str, Any], names: OwnNames, since: datetime, until: datetime
) -> CloudLog:
    """See `CloudActivity`. Everything in the cluster's resource groups concerns the cluster."""
    subscription, group = group_of(head)
    cluster = str(access["cluster"])
    own = f"/userassignedidentities/{cluster}-head-identity".lower()

    def read(entry: Mapping[str, Any]) -> Change | None:
        operation, status = str(_value(entry["operationName"])), _value(entry["status"])
        is_change = operation.lower().rpartition("/")[2] in _CHANGES and status in ("Succeeded", "Failed")
        # a machine's token has the id of its identity; unsure: no primary source documents the claim
        by_head = own in str((entry.get("claims") or {}).get("xms_mirid", "")).lower()
        if by_head or not is_change or (_value(entry.get("category")) or "Administrative") != "Administrative":
            return None
        resource = str(entry.get("resourceId") or entry.get("resourceUri") or "")
        return Change(
            id=f"{entry['operationId']} {operation} {resource}".lower(),
            at=datetime.fromisoformat(entry["eventTimestamp"]),
            who=str(entry.get("caller") or ""),
            what=f"{operation} {_short(resource)}".rstrip(),
            source=str((entry.get("httpRequest") or {}).get("clientIpAddress") or ""),
            failed=str(_value(entry.get("subStatus")) or status) if status == "Failed" else "",
        )

    return CloudLog(
        title="Azure's activity log",
        program=PROGRAMS[0],
        permission="Microsoft.Insights/eventtypes/values/read",
        commands=[_command(subscription, each, since, until) for each in (group, f"{cluster}-nodes")],
        read=read,
    )


def _command(subscription: str, group: str, since: datetime, until: datetime) -> tuple[str, ...]:
    return (
        "az", "monitor", "activity-log", "list", "--subscription", subscription, "--resource-group", group,
        "--start-time", f"{since:%Y-%m-%dT%H:%M:%SZ}", "--end-time", f"{until:%Y-%m-%dT%H:%M:%SZ}",
        "--max-events", str(MAX_ENTRIES), "--output", "json",
    )  # fmt: skip


def _value(text: Any) -> Any:
    """Return the value of a text that Azure also translates."""
    return text.get("value") if isinstance(text, Mapping) else text


def _short(resource: str) -> str:
    """Return a resource's names without its types, or the name of a group."""
    words = resource.split("/")
    if len(words) <= 7:
        return words[-1]
    return "/".join(words[8::2])
