from typing import Any

import pulumi
import pytest

from clouds.azure.modes import checked_preview
from clouds.azure.sample import GROUP, TAGS
from hpc_components.azure.components.node_logs import NodeLogs, NodeLogsArgs
from hpc_components.preview.record import Recording, record


def make(name: str = "cfd-logs", **change: Any) -> None:
    made = NodeLogs(name, NodeLogsArgs(**{"group": GROUP, "tags": TAGS, **change}))
    pulumi.export("logs", [made.logs.address, made.logs.rule_id])


@pytest.fixture(scope="module")
def usual() -> Recording:
    return checked_preview(make)


def test_the_table_has_the_columns_posted_by_nodes(usual):
    table = usual.one("azure-native:operationalinsights:Table")
    assert table.inputs["tableName"] == "HpcBoot_CL"
    columns = {each["name"]: each["type"] for each in table.inputs["schema"]["columns"]}
    rule = usual.one("azure-native:monitor:DataCollectionRule")
    posted = rule.inputs["streamDeclarations"]["Custom-HpcBoot_CL"]["columns"]
    assert {each["name"]: each["type"].lower() for each in posted} == {
        name: kind.lower() for name, kind in columns.items()
    }
    assert set(columns) == {"TimeGenerated", "Computer", "Message"}
    (flow,) = rule.inputs["dataFlows"]
    assert (flow["streams"], flow["outputStream"], flow["destinations"]) == (
        ["Custom-HpcBoot_CL"],
        "Custom-HpcBoot_CL",
        [rule.inputs["destinations"]["logAnalytics"][0]["name"]],
    )
    assert table.urn in rule.depends_on, "Azure refuses a rule for a table that is not there"


def test_the_address_is_the_endpoint_the_rule_and_the_stream():
    address, rule = record(make, preview=False).outputs["logs"]
    assert address.endswith("/streams/Custom-HpcBoot_CL")
    assert "/dataCollectionRules/" in address
    assert "cfd-logs-endpoint" in address
    assert "cfd-logs-rule" in rule


def test_logs_are_kept_as_long_as_said():
    workspace = record(lambda: make(retention_days=30)).one("Workspace").inputs
    assert (workspace["retentionInDays"], workspace["sku"]["name"]) == (30, "PerGB2018")


@pytest.mark.parametrize("days", [7, 731])
def test_days_that_log_analytics_does_not_have_are_refused(days):
    with pytest.raises(ValueError, match=rf"^NodeLogsArgs\.retention_days: .* for {days} days; use 30 to 730"):
        NodeLogsArgs(group=GROUP, retention_days=days, tags=TAGS)


def test_the_endpoint_has_room_for_the_longest_name():
    endpoint = record(lambda: make("c" * 40 + "-logs")).one("DataCollectionEndpoint").inputs
    assert len(endpoint["dataCollectionEndpointName"]) == 44


def test_the_table_goes_with_its_workspace(usual):
    assert usual.one("Table").deleted_with == usual.one("Workspace").urn


def test_the_audit_trail_has_a_table_and_a_stream_of_its_own():
    made = checked_preview(lambda: make(audit_days=400))
    boot = made.one("azure-native:operationalinsights:Table", "cfd-logs-table")
    audit = made.one("azure-native:operationalinsights:Table", "cfd-logs-audit-table")
    assert (audit.inputs["tableName"], audit.inputs["retentionInDays"]) == ("HpcAudit_CL", 400)
    assert "retentionInDays" not in boot.inputs
    columns = {each["name"]: each["type"].lower() for each in audit.inputs["schema"]["columns"]}
    rule = made.one("azure-native:monitor:DataCollectionRule")
    posted = rule.inputs["streamDeclarations"]["Custom-HpcAudit_CL"]["columns"]
    assert {each["name"]: each["type"].lower() for each in posted} == columns
    assert set(columns) == {"TimeGenerated", "Computer", "Kind", "Who", "What", "Source"}
    flows = {flow["outputStream"]: flow["streams"] for flow in rule.inputs["dataFlows"]}
    assert flows == {name: [name] for name in ("Custom-HpcBoot_CL", "Custom-HpcAudit_CL")}
    assert audit.urn in rule.depends_on, "Azure refuses a rule for a table that is not there"


def test_a_trail_is_protected_with_its_workspace_unless_it_may_be_thrown_away(usual):
    types = ("azure-native:operationalinsights:Workspace", "azure-native:operationalinsights:Table")
    made = record(lambda: make(audit_days=400))
    kept = {each.name: bool(each.protect) for each in made.resources if each.type in types}
    assert kept == {"cfd-logs": True, "cfd-logs-table": False, "cfd-logs-audit-table": True}
    thrown = record(lambda: make(audit_days=400, retain=False))
    assert not [each for each in (*thrown.resources, *usual.resources) if each.type in types and each.protect]


def test_days_of_the_trail_that_log_analytics_does_not_have_are_refused():
    with pytest.raises(ValueError, match=r"^NodeLogsArgs\.audit_days: .* for 731 days; use 30 to 730"):
        NodeLogsArgs(group=GROUP, audit_days=731, tags=TAGS)
