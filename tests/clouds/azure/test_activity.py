"""Changes in Azure's activity log, read from entries as the schema shows them (Azure Monitor documentation, "Azure
activity log event schema", category Administrative).
"""

from datetime import UTC, datetime
from typing import Any

import pytest

from hpc_components.azure.activity import log
from hpc_components.operate.cloud_log import Change, OwnNames

NOW = datetime(2026, 11, 29, tzinfo=UTC)
GROUP = "/subscriptions/s1/resourceGroups/MSSupportGroup"
ENTRY = {
    "authorization": {"action": "microsoft.support/supporttickets/write", "role": "Subscription Admin"},
    "caller": "admin@contoso.com",
    "channels": "Operation",
    "claims": {"appid": "c44b4083-3bq0-49c1-b47d-974e53cbdf3c", "name": "John Smith"},
    "category": {"value": "Administrative", "localizedValue": "Administrative"},
    "correlationId": "1e121103-0ba6-4300-ac9d-952bb5d0c80f",
    "eventName": {"value": "EndRequest", "localizedValue": "End request"},
    "httpRequest": {"clientRequestId": "27003b25", "clientIpAddress": "192.168.35.115", "method": "PUT"},
    "level": "Informational",
    "resourceGroupName": "MSSupportGroup",
    "resourceId": f"{GROUP}/providers/microsoft.support/supporttickets/115012112305841",
    "operationId": "1e121103-0ba6-4300-ac9d-952bb5d0c80f",
    "operationName": {"value": "microsoft.support/supporttickets/write", "localizedValue": "Write a ticket"},
    "properties": {"statusCode": "Created", "requestbody": "geheim"},
    "status": {"value": "Succeeded", "localizedValue": "Succeeded"},
    "subStatus": {"value": "Created", "localizedValue": "Created (HTTP Status Code: 201)"},
    "eventTimestamp": "2015-01-21T22:14:26.9792776Z",
}


def read(**values: Any) -> Change | None:
    machine = f"{GROUP}/providers/Microsoft.Compute/virtualMachines/cfd-head"
    activity = log({"cluster": "cfd"}, {"vm_id": machine}, OwnNames("cfd", ()), NOW, NOW)
    return activity.read(ENTRY | values)


def named(text: str) -> dict[str, str]:
    return {"value": text, "localizedValue": "übersetzt"}


def test_a_change_names_operation_resource_caller_and_address_without_the_request() -> None:
    change = read()
    assert change
    assert change.at == datetime(2015, 1, 21, 22, 14, 26, 979277, tzinfo=UTC)
    assert (change.who, change.source, change.failed) == ("admin@contoso.com", "192.168.35.115", "")
    assert change.what == "microsoft.support/supporttickets/write 115012112305841"
    assert "geheim" not in repr(change)


def test_a_failed_change_has_its_code_and_is_about_the_same_request() -> None:
    failed, done = read(status=named("Failed"), subStatus=named("Conflict")), read()
    assert failed
    assert done
    assert (failed.failed, failed.id) == ("Conflict", done.id)
    without_code = read(status=named("Failed"), subStatus={"value": None})
    assert without_code
    assert without_code.failed == "Failed"


@pytest.mark.parametrize(
    ("resource", "name"),
    [
        (f"{GROUP}/providers/Microsoft.Network/virtualNetworks/cfd/subnets/nodes", "cfd/nodes"),
        (GROUP, "MSSupportGroup"),
        ("", ""),
    ],
)
def test_a_resource_is_named_without_its_types(resource: str, name: str) -> None:
    change = read(resourceId=resource)
    assert change
    assert change.what == f"microsoft.support/supporttickets/write {name}".rstrip()


@pytest.mark.parametrize(
    "values",
    [
        {"status": named("Started")},
        {"status": named("Accepted")},
        {"operationName": named("Microsoft.Compute/virtualMachines/read")},
        {"category": named("Policy"), "operationName": named("Microsoft.Authorization/policies/audit/action")},
    ],
)
def test_beginnings_reads_and_other_categories_are_left_out(values: dict[str, Any]) -> None:
    assert read(**values) is None


@pytest.mark.parametrize(
    ("name", "left_out"), [("cfd-head-identity1a2b3c4d", True), ("cfd-login-identity1a2b", False)]
)
def test_what_the_head_node_does_by_itself_is_left_out(name: str, left_out: bool) -> None:
    identity = (
        f"/subscriptions/s1/resourcegroups/cfd/providers/Microsoft.ManagedIdentity/userAssignedIdentities/{name}"
    )
    assert (read(claims={"xms_mirid": identity}) is None) == left_out
