"""A described cluster that sends metrics to the cloud's managed service: what `pulumi up` makes of it."""

import json
from typing import Any

import pytest

from clouds.descriptions import cluster_of
from hpc_components.cloud import cloud_named
from hpc_components.preview.record import Recording, record

AWS = {
    "cloud": "aws", "name": "lab", "region": "us-east-2", "zone": "use2-az2", "network": {"cidr": "10.20.0.0/16"},
    "head_node": {"machine": "m7i.large"}, "queues": [{"name": "cpu", "machine": "c7i.xlarge", "max": 4}],
}  # fmt: skip
AZURE = {
    "cloud": "azure", "name": "lab", "region": "eastus", "zone": "eastus-1", "network": {"cidr": "10.20.0.0/16"},
    "head_node": {"machine": "Standard_D4s_v5"}, "queues": [{"name": "cpu", "machine": "Standard_D16s_v5", "max": 4}],
}  # fmt: skip
EXISTING = "arn:aws:aps:eu-west-1:123456789012:workspace/ws-1"


def made(described: dict[str, Any], **remote: Any) -> Recording:
    cluster = cluster_of(described | {"monitoring": {"remote_write": remote}})
    component = cloud_named(cluster.cloud).parts.cluster

    def program() -> None:
        import pulumi

        for name, value in component(cluster.name, cluster).outputs.items():
            pulumi.export(name, value)

    return record(program, preview=False)


@pytest.mark.parametrize("described", [AWS, AZURE], ids=["aws", "azure"])
def test_the_head_node_waits_for_the_workspace_and_its_permission(described: dict[str, Any]) -> None:
    recording = made(described)
    reaper = recording.one("NodeReaper")
    assert any("MetricsWorkspace" in urn for urn in reaper.depends_on)
    assert set(recording.outputs["metrics"]) == {"workspace", "query_url"}


def test_the_head_node_learns_address_and_region_of_the_workspace() -> None:
    (file,) = (
        each for each in made(AWS, workspace=EXISTING).all("BucketObjectv2") if each.name.endswith("remote_write")
    )
    address = "https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-1/api/v1/remote_write"
    assert file.inputs["content"] == f"{address} eu-west-1\n"


def test_no_other_node_may_send_metrics() -> None:
    policies = [each for each in made(AWS).all("RolePolicy") if "aps:" in json.dumps(each.inputs)]
    assert [each.name for each in policies] == ["lab-metrics-head-policy"]


@pytest.mark.parametrize("described", [AWS, AZURE], ids=["aws", "azure"])
def test_without_the_key_there_is_no_workspace(described: dict[str, Any]) -> None:
    cluster = cluster_of(described | {"monitoring": {}})
    recording = record(lambda: cloud_named(cluster.cloud).parts.cluster(cluster.name, cluster))
    assert not [each.type for each in recording.resources if "orkspace" in each.type and "amp" in each.type]
    assert not recording.all("MetricsWorkspace")
