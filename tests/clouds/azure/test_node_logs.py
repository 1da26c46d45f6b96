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
