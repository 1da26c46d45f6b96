from typing import Any

import pulumi
import pytest

from hpc_components.gcp.components.data_bucket import DataBucket, DataBucketArgs
from hpc_components.preview.record import UNKNOWN, RecordedResource, Recording, record
from on_gcp.modes import in_both_modes
from on_gcp.sample import PROJECT, REGION, TAGS

BUCKET = "gcp:storage/bucket:Bucket"


def args(**change: Any) -> DataBucketArgs:
    return DataBucketArgs(**{"project": PROJECT, "region": REGION, "tags": TAGS, **change})


def make(**change: Any) -> None:
    ref = DataBucket("cfd-results", args(**change)).bucket("results")
    assert ref.name == "results"
    pulumi.export("bucket", [ref.bucket, ref.url])


def made(**change: Any) -> RecordedResource:
    return record(lambda: make(**change)).one(BUCKET)


def rules(**change: Any) -> list[tuple[str, dict[str, Any]]]:
    found = made(**change).inputs.get("lifecycleRules", [])
    return [
        (rule["action"].get("storageClass") or rule["action"]["type"], rule["condition"])
        for rule in found
        if (rule["action"]["type"] == "SetStorageClass") == ("storageClass" in rule["action"])
    ]


@pytest.fixture(scope="module")
def usual() -> Recording:
    return in_both_modes(make)


def test_private_and_kept(usual):
    bucket = usual.one(BUCKET)
    assert bucket.inputs == {
        "forceDestroy": False,
        "labels": {"clustername": "cfd", "name": "cfd-results", "project": "wing"},
        "lifecycleRules": [
            {"action": {"type": "Delete"}, "condition": {"daysSinceNoncurrentTime": 30, "withState": "ARCHIVED"}}
        ],
        "location": REGION,
        "project": PROJECT,
        "publicAccessPrevention": "enforced",
        "softDeletePolicy": {"retentionDurationSeconds": 0},
        "uniformBucketLevelAccess": True,
        "versioning": {"enabled": True},
    }
    assert (bucket.protect, bucket.retain) == (True, True)


def test_throw_away():
    bucket = made(retain=False)
    assert (bucket.protect, bucket.retain, bucket.inputs["forceDestroy"]) == (False, False, True)


def test_overwritten_and_deleted_objects_are_kept_for_thirty_days_or_not(usual):
    assert rules() == [("Delete", {"daysSinceNoncurrentTime": 30, "withState": "ARCHIVED"})]
    without = made(versioning=False).inputs
    assert without["versioning"] == {"enabled": False}
    assert "lifecycleRules" not in without


def test_colder_classes_and_the_end():
    assert rules(archive={"nearline": 30, "archive": 365}, expire_days=3650, versioning=False) == [
        ("NEARLINE", {"age": 30, "withState": "LIVE"}),
        ("ARCHIVE", {"age": 365, "withState": "LIVE"}),
        ("Delete", {"age": 3650, "withState": "LIVE"}),
    ]


def test_google_moves_objects_down_to_the_coldest_class():
    assert made(autoclass=True).inputs["autoclass"] == {"enabled": True, "terminalStorageClass": "ARCHIVE"}
    assert "autoclass" not in made().inputs


def test_folders():
    assert made(folders=True, versioning=False).inputs["hierarchicalNamespace"] == {"enabled": True}
    assert "hierarchicalNamespace" not in made().inputs


def test_own_name():
    assert made(bucket_name="wing-data").inputs["name"] == "wing-data"


def test_outputs(usual):
    assert usual.outputs["bucket"] == [UNKNOWN, UNKNOWN]
    name, url = record(make, preview=False).outputs["bucket"]
    assert url == f"gs://{name}"
