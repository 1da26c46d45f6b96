"""Changes in Admin Activity audit logs, read from entries as the API reference describes them (Cloud Logging,
LogEntry, LogEntryOperation and AuditLog; "Understanding audit logs").
"""

from datetime import UTC, datetime
from typing import Any

import pytest

from hpc_components.gcp.activity import log
from hpc_components.operate.cloud_log import Change, OwnNames

NOW = datetime(2026, 11, 29, tzinfo=UTC)
PAYLOAD = {
    "@type": "type.googleapis.com/google.cloud.audit.AuditLog",
    "status": {},
    "authenticationInfo": {"principalEmail": "user@example.com"},
    "requestMetadata": {"callerIp": "198.51.100.7", "callerSuppliedUserAgent": "google-cloud-sdk gcloud/528.0.0"},
    "serviceName": "compute.googleapis.com",
    "methodName": "v1.compute.instances.delete",
    "resourceName": "projects/p-1/zones/us-central1-a/instances/cfd-head",
    "request": {"@type": "type.googleapis.com/compute.instances.delete", "secret": "geheim"},
}
ENTRY = {
    "logName": "projects/p-1/logs/cloudaudit.googleapis.com%2Factivity",
    "insertId": "1wt6rdna0",
    "operation": {"id": "operation-1", "producer": "compute.googleapis.com", "first": True},
    "resource": {"type": "gce_instance", "labels": {"project_id": "p-1"}},
    "severity": "NOTICE",
    "timestamp": "2026-11-28T16:24:56.135123456Z",
}


def read(entry: dict[str, Any] | None = None, **payload: Any) -> Change | None:
    head = {"instance_id": "projects/p-1/zones/us-central1-a/instances/cfd-head"}
    audit = log({"cluster": "cfd"}, head, OwnNames("cfd", ()), NOW, NOW)
    return audit.read({**ENTRY, **(entry or {}), "protoPayload": PAYLOAD | payload})


def test_a_change_names_method_resource_caller_and_address_without_the_request() -> None:
    change = read()
    assert change == Change(
        id="operation-1", at=datetime(2026, 11, 28, 16, 24, 56, 135123, tzinfo=UTC), who="user@example.com",
        what="v1.compute.instances.delete zones/us-central1-a/instances/cfd-head", source="198.51.100.7", failed="",
    )  # fmt: skip
    assert "geheim" not in repr(change)


def test_an_entry_without_an_operation_is_a_change_of_its_own() -> None:
    change = read({"operation": None}, status=None, requestMetadata=None)
    assert change
    assert (change.id, change.source, change.failed) == ("1wt6rdna0", "", "")


@pytest.mark.parametrize(
    ("code", "name"), [(7, "PERMISSION_DENIED"), (16, "UNAUTHENTICATED"), (99, "99"), (-1, "-1")]
)
def test_a_refused_change_has_the_name_of_its_code(code: int, name: str) -> None:
    change = read(status={"code": code, "message": "user@example.com lacks it"})
    assert change
    assert change.failed == name


@pytest.mark.parametrize(
    ("resource", "shown"),
    [
        ("projects/_/buckets/cfd-data", True),
        ("projects/p-1/global/networks/cfd", True),
        ("projects/cfd/zones/us-central1-a/instances/web", False),
        ("projects/cfd-prod/global/networks/default", False),
        ("projects/p-1/global/networks/cfdx", False),
        ("projects/p-1", False),
    ],
)
def test_an_entry_is_chosen_by_its_resource_and_not_by_its_project(resource: str, shown: bool) -> None:
    assert bool(read(resourceName=resource)) == shown


def test_what_the_head_node_does_by_itself_is_left_out() -> None:
    assert read(authenticationInfo={"principalEmail": "cfd-head@p-1.iam.gserviceaccount.com"}) is None
    assert read(authenticationInfo={"principalEmail": "cfd-login@p-1.iam.gserviceaccount.com"})
