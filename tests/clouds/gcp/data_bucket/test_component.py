from typing import Any

import pulumi
import pytest
from both_modes import checked_preview

from clouds.gcp.sample import PROJECT, REGION, TAGS
from hpc_components.gcp.data_bucket.component import DataBucket, DataBucketArgs
from hpc_components.preview.record import UNKNOWN, RecordedResource, Recording, record

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
    return checked_preview(make)


def test_the_bucket_is_private_and_kept(usual):
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


def test_a_bucket_to_throw_away_is_not_protected():
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


def test_a_bucket_may_have_real_folders():
    assert made(folders=True, versioning=False).inputs["hierarchicalNamespace"] == {"enabled": True}
    assert "hierarchicalNamespace" not in made().inputs


def test_a_bucket_may_have_a_name_of_its_own():
    assert made(bucket_name="wing-data").inputs["name"] == "wing-data"


def test_the_outputs_name_bucket_and_address(usual):
    assert usual.outputs["bucket"] == [UNKNOWN, UNKNOWN]
    name, url = record(make, preview=False).outputs["bucket"]
    assert url == f"gs://{name}"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bucket_name": "My_Bucket"}, "bucket_name: a bucket's name can't contain 'M'"),
        ({"bucket_name": "goog-wing"}, "bucket_name: Google reserves names such as 'goog-wing'"),
        (
            {"archive": {"hot": 30}},
            "archive: 'hot' is not a colder Cloud Storage class; use nearline, coldline, arch",
        ),
        (
            {"archive": {"nearline": -1}},
            "archive['nearline']: the age -1 is too low; Google moves objects there only at an age of 0 days or",
        ),
        (
            {"archive": {"nearline": 90, "archive": 30}},
            "archive['archive']: 30 days, but nearline is set to 90 days; ages must increase in the order nearline",
        ),
        (
            {"archive": {"archive": 90}, "expire_days": 90},
            "expire_days: objects would expire at 90 days but still change class at 90 days",
        ),
        (
            {"expire_days": 0},
            "expire_days: the age 0 is too low; Google deletes objects only at an age of 1 days or more",
        ),
        (
            {"archive": {"archive": 90}, "autoclass": True},
            "archive: Autoclass chooses the storage class itself and can't be combined with age rules; leave it out",
        ),
        (
            {"folders": True},
            "versioning = True: versioning, which is on by default, is not supported in a bucket with a "
            "hierarchical namespace",
        ),
    ],
)
def test_arguments_that_google_refuses_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^DataBucketArgs\.") as error:
        args(**change)
    assert message in str(error.value)
