from typing import Any

import pulumi
import pytest
from both_modes import checked_preview

from clouds.gcp.sample import PROJECT, REGION, TAGS
from hpc_components.gcp.audit.component import AuditTrail, AuditTrailArgs
from hpc_components.preview.record import record


def make(**change: Any) -> None:
    made = AuditTrail("cfd-audit", AuditTrailArgs(**{"project": PROJECT, "region": REGION, "tags": TAGS, **change}))
    pulumi.export("bucket", made.bucket_id)


def test_the_nodes_log_goes_into_a_bucket_that_keeps_it() -> None:
    """Name and label as boot/scripts/common/google_node.py writes them."""
    usual = checked_preview(make)
    bucket, sink = usual.one("ProjectBucketConfig"), usual.one("ProjectSink")
    assert (bucket.inputs["bucketId"], bucket.inputs["retentionDays"], bucket.retain) == ("cfd-audit", 400, True)
    assert sink.inputs["filter"] == f'logName="projects/{PROJECT}/logs/hpc-audit" AND labels.cluster="cfd"'
    assert record(lambda: make(keep_days=3650)).one("ProjectBucketConfig").inputs["retentionDays"] == 3650


def test_days_that_cloud_logging_does_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^AuditTrailArgs\.keep_days: .* for 3651 days; use 1 to 3650"):
        AuditTrailArgs(project=PROJECT, region=REGION, keep_days=3651)
