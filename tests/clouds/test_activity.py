"""How each cloud's own log is asked for changes: its command lines, and the entries that are the cluster's own."""

import shlex
from datetime import UTC, datetime
from typing import Any

import pytest

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.operate.cloud_log import OwnNames, ask_cloud_log

SINCE, UNTIL = datetime(2026, 11, 22, tzinfo=UTC), datetime(2026, 11, 29, 12, tzinfo=UTC)
OUTPUTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "aws": ({"cluster": "cfd", "region": "us-east-2"}, {"instance_id": "i-0aaa"}),
    "azure": (
        {"cluster": "cfd"},
        {"vm_id": "/subscriptions/s-1/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/cfd-head"},
    ),
    "gcp": ({"cluster": "cfd"}, {"instance_id": "projects/p-1/zones/us-central1-a/instances/cfd-head"}),
}
TIME = "--start-time 2026-11-22T00:00:00Z --end-time 2026-11-29T12:00:00Z"
LINES = {
    "aws": [
        "aws cloudtrail lookup-events --region us-east-2 --lookup-attributes"
        f" AttributeKey=ReadOnly,AttributeValue=false {TIME} --max-items 5000 --query Events --output json",
        "aws cloudtrail lookup-events --region us-east-1 --lookup-attributes"
        f" AttributeKey=EventSource,AttributeValue=iam.amazonaws.com {TIME} --max-items 5000 --query Events"
        " --output json",
    ],
    "azure": [
        f"az monitor activity-log list --subscription s-1 --resource-group {group} {TIME} --max-events 5000"
        " --output json"
        for group in ("rg", "cfd-nodes")
    ],
    "gcp": [
        'gcloud logging read \'logName="projects/p-1/logs/cloudaudit.googleapis.com%2Factivity"'
        ' AND timestamp>="2026-11-22T00:00:00Z" AND timestamp<"2026-11-29T12:00:00Z"'
        ' AND protoPayload.resourceName:"/cfd" AND NOT protoPayload.authenticationInfo.principalEmail='
        '"cfd-head@p-1.iam.gserviceaccount.com"\' --project=p-1 --order=desc --limit=5000 --format=json'
    ],
}
PERMISSIONS = {
    "aws": "cloudtrail:LookupEvents",
    "azure": "Microsoft.Insights/eventtypes/values/read",
    "gcp": "logging.logEntries.list",
}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_command_lines_read_the_log_of_this_time_and_are_limited(cloud: str) -> None:
    activity = cloud_named(cloud).parts.activity
    assert activity
    log = activity.log(*OUTPUTS[cloud], OwnNames("cfd", ()), SINCE, UNTIL)
    assert [[*line] for line in log.commands] == [shlex.split(line) for line in LINES[cloud]]
    assert log.permission == PERMISSIONS[cloud]


@pytest.mark.parametrize(
    ("region", "regions"),
    [
        ("us-east-1", ["us-east-1"]),
        ("us-gov-east-1", ["us-gov-east-1", "us-gov-west-1"]),
        ("cn-northwest-1", ["cn-northwest-1", "cn-north-1"]),
    ],
)
def test_events_of_iam_are_looked_up_where_they_are_recorded(region: str, regions: list[str]) -> None:
    activity = cloud_named("aws").parts.activity
    assert activity
    access, head = OUTPUTS["aws"]
    log = activity.log({**access, "region": region}, head, OwnNames("cfd", ()), SINCE, UNTIL)
    assert [command[command.index("--region") + 1] for command in log.commands] == regions


def test_names_are_the_clusters_or_begin_with_it_and_a_hyphen() -> None:
    names = OwnNames("cfd", ["fs-0123", ""])
    found = {
        "fs-0123": ["fs-0123"],
        "arn:aws:iam::1:role/cfd/cfd-head-role-1": ["cfd", "cfd-head-role-1"],
        "cfdx/xcfd-1/": [],
        'cfd-"{secret}': [],
        "": [],
    }
    assert {text: [*names.found_in(text)] for text in found} == found
    names.add(["i-0456"])
    assert [*names.found_in("i-0456")] == ["i-0456"]


@pytest.mark.usefixtures("toy")
def test_a_cloud_without_such_a_log_has_no_changes() -> None:
    assert cloud_named("toy").parts.activity is None
    assert ask_cloud_log(({"cloud": "toy", "cluster": "lab"}, {}), (), SINCE) == ([], [])
