"""How `hpc audit` reads Google Cloud's Admin Activity audit logs: changes of a cluster's resources, with callers.

Sources: gcloud reference, logging read; Cloud Logging documentation, "Cloud Audit Logs overview" (400 days),
"Understanding audit logs", "Logging query language" and "Access control with IAM"; AuditLog and LogEntryOperation in
the API reference.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hpc_components.gcp.catalog.accounts import account_id
from hpc_components.gcp.reach import PROGRAMS, machine_of
from hpc_components.operate.cloud_log import MAX_ENTRIES, Change, CloudLog, OwnNames

KEPT_DAYS = 400

_CODES = (
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
    "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
    "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
)  # fmt: skip
"""Names of a status's codes. Source: googleapis, google/rpc/code.proto."""


def log(
    access: Mapping[str, Any], head: Mapping[str, Any], names: OwnNames, since: datetime, until: datetime
) -> CloudLog:
    """See `CloudActivity`. An entry concerns the cluster if its resource's name has one of the cluster's names."""
    project, cluster = machine_of(head)["project"], str(access["cluster"])
    own = f"{account_id(f'{cluster}-head')}@{project}.iam.gserviceaccount.com"
    chosen = " AND ".join((
        f'logName="projects/{project}/logs/cloudaudit.googleapis.com%2Factivity"',
        f'timestamp>="{since:%Y-%m-%dT%H:%M:%SZ}"',
        f'timestamp<"{until:%Y-%m-%dT%H:%M:%SZ}"',
        f'protoPayload.resourceName:"/{cluster}"',
        f'NOT protoPayload.authenticationInfo.principalEmail="{own}"',
    ))  # fmt: skip

    def read(entry: Mapping[str, Any]) -> Change | None:
        said, operation = entry["protoPayload"], entry.get("operation") or {}
        # what follows `projects/<project>`, which may be named like the cluster
        resource = str(said["resourceName"]).split("/", 2)[-1]
        caller = str((said.get("authenticationInfo") or {}).get("principalEmail") or "")
        if caller == own or not any(names.found_in(resource)):
            return None
        code = int((said.get("status") or {}).get("code") or 0)
        return Change(
            id=str(operation.get("id") or entry["insertId"]),  # a long operation has an entry at its end, too
            at=datetime.fromisoformat(entry["timestamp"]),
            who=caller,
            what=f"{said['methodName']} {resource}",
            source=str((said.get("requestMetadata") or {}).get("callerIp") or ""),
            failed="" if code == 0 else _CODES[code] if 0 < code < len(_CODES) else str(code),
        )

    command = (
        "gcloud", "logging", "read", chosen, f"--project={project}", "--order=desc", f"--limit={MAX_ENTRIES}",
        "--format=json",
    )  # fmt: skip
    return CloudLog(
        title="Google Cloud's Admin Activity audit logs",
        program=PROGRAMS[0],
        permission="logging.logEntries.list",
        commands=[command],
        read=read,
    )
