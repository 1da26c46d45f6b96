from typing import Any

import pulumi
import pytest
from both_modes import checked_preview

from clouds.gcp.sample import PROJECT, REGION, TAGS
from hpc_components.gcp.node_logs.component import NodeLogs, NodeLogsArgs
from hpc_components.preview.record import Recording, record


def make(**change: Any) -> None:
    made = NodeLogs("cfd-logs", NodeLogsArgs(**{"project": PROJECT, "region": REGION, "tags": TAGS, **change}))
    pulumi.export("bucket", made.bucket_id)


@pytest.fixture(scope="module")
def usual() -> Recording:
    return checked_preview(make)


def test_logs_are_kept_as_long_as_said(usual):
    bucket = usual.one("ProjectBucketConfig").inputs
    assert (bucket["bucketId"], bucket["location"], bucket["project"]) == ("cfd-logs", REGION, PROJECT)
    assert bucket["retentionDays"] == 180
    assert record(lambda: make(retention_days=30)).one("ProjectBucketConfig").inputs["retentionDays"] == 30


def test_the_clusters_own_log_goes_there(usual):
    """Name and label as boot/scripts/common/google_node.py writes them."""
    sink = usual.one("ProjectSink")
    assert sink.inputs["filter"] == f'logName="projects/{PROJECT}/logs/hpc-boot" AND labels.cluster="cfd"'
    assert sink.property_dependencies["destination"] == (usual.one("ProjectBucketConfig").urn,)
    made = record(make, preview=False)
    assert made.one("ProjectSink").inputs["destination"] == f"logging.googleapis.com/{made.outputs['bucket']}"


def test_a_bucket_whose_name_nobody_gets_back_for_a_week_stays(usual):
    assert usual.one("ProjectBucketConfig").retain
    assert not usual.one("ProjectSink").retain


@pytest.mark.parametrize("days", [0, 3651])
def test_days_that_cloud_logging_does_not_have_are_refused(days):
    with pytest.raises(ValueError, match=rf"^NodeLogsArgs\.retention_days: .* for {days} days; use 1 to 3650"):
        NodeLogsArgs(project=PROJECT, region=REGION, retention_days=days, tags=TAGS)
