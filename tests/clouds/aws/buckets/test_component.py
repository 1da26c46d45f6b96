from typing import Any

import pulumi
import pytest
from both_modes import in_both_modes

from clouds.aws.sample import TAGS
from hpc_components.aws.buckets.component import (
    DataBucket,
    DataBucketArgs,
    ExpressDataBucket,
    ExpressDataBucketArgs,
)
from hpc_components.preview.record import ProgramError, Recording, record


def args(**change: Any) -> DataBucketArgs:
    return DataBucketArgs(tags=TAGS, **change)


def express(**change: Any) -> ExpressDataBucketArgs:
    usual: dict[str, Any] = {"base": "cfd-train", "zone": "use2-az2", "tags": TAGS}
    return ExpressDataBucketArgs(**{**usual, **change})


def recorded(**change: Any) -> Recording:
    def program() -> None:
        made = DataBucket("data", args(**change))
        pulumi.export("bucket", {"name": made.bucket_name, "url": made.url})

    update, _ = in_both_modes(program)
    return update


def rules(recording: Recording) -> dict[str, dict[str, Any]]:
    lifecycle = recording.one("aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration")
    found = {rule.pop("id"): rule for rule in lifecycle.inputs["rules"]}
    assert all((rule.pop("status"), rule.pop("filter")) == ("Enabled", {"prefix": ""}) for rule in found.values())
    return found


def test_the_bucket_is_private_and_kept() -> None:
    recording = recorded()
    bucket = recording.one("aws:s3/bucket:Bucket", "data")
    assert bucket.inputs == {
        "forceDestroy": False,
        "tags": {"ClusterName": "cfd", "Name": "data", "Project": "wing"},
    }
    assert (bucket.protect, bucket.retain) == (True, True)
    settings = [each for each in recording.resources if each.custom and each != bucket]
    assert {each.type.rpartition(":")[2] for each in settings} == {
        "BucketLifecycleConfiguration",
        "BucketPolicy",
        "BucketPublicAccessBlock",
        "BucketServerSideEncryptionConfiguration",
        "BucketVersioning",
    }
    assert {each.deleted_with for each in settings} == {bucket.urn}, "a bucket that stays keeps its settings"
    assert recording.outputs["bucket"]["url"] == f"s3://{recording.outputs['bucket']['name']}"


def test_a_bucket_to_throw_away_is_not_protected() -> None:
    bucket = recorded(retain=False).one("Bucket")
    assert (bucket.protect, bucket.retain, bucket.inputs["forceDestroy"]) == (False, False, True)


def test_a_bucket_may_have_a_name_of_its_own() -> None:
    assert recorded(bucket_name="my-hpc-data-bucket").one("Bucket").inputs["bucket"] == "my-hpc-data-bucket"


def test_uploads_and_old_versions_end_by_default() -> None:
    assert rules(recorded()) == {
        "abandoned-uploads": {"abortIncompleteMultipartUpload": {"daysAfterInitiation": 7}},
        "old-versions": {
            "noncurrentVersionExpiration": {"noncurrentDays": 30},
            "expiration": {"expiredObjectDeleteMarker": True},
        },
    }


def test_objects_are_archived_and_then_expire() -> None:
    found = rules(recorded(archive={"deep_archive": 180, "standard_ia": 30}, expire_days=3650))
    assert found["archive"] == {
        "transitions": [
            {"days": 30, "storageClass": "STANDARD_IA"},
            {"days": 180, "storageClass": "DEEP_ARCHIVE"},
        ]
    }
    assert found["expire"] == {"expiration": {"days": 3650}}


def test_a_bucket_may_be_without_versions() -> None:
    recording = recorded(versioning=False)
    assert "old-versions" not in rules(recording)
    assert recording.one("BucketVersioning").inputs["versioningConfiguration"] == {"status": "Suspended"}


def test_each_shard_is_a_directory_bucket() -> None:
    _, preview = in_both_modes(lambda: ExpressDataBucket("train", express(shards=2)))
    buckets = preview.all("aws:s3/directoryBucket:DirectoryBucket")
    assert [each.inputs["bucket"] for each in buckets] == [
        "cfd-train-0--use2-az2--x-s3",
        "cfd-train-1--use2-az2--x-s3",
    ]
    assert all(each.inputs["location"] == {"name": "use2-az2", "type": "AvailabilityZone"} for each in buckets)
    assert {(each.protect, each.retain, each.inputs["forceDestroy"]) for each in buckets} == {(True, True, False)}


def test_more_shards_rename_none() -> None:
    _, one = in_both_modes(lambda: ExpressDataBucket("train", express()))
    _, four = in_both_modes(lambda: ExpressDataBucket("train", express(shards=4)))
    first = one.one("DirectoryBucket")
    assert four.of(first.urn).inputs == first.inputs


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"bucket_name": "My_Bucket"},
            "bucket_name = 'My_Bucket': a bucket name can't contain 'M'; use only lower-case letters",
        ),
        ({"bucket_name": "a..b"}, "bucket_name = 'a..b': 'a..b' is not a valid bucket name"),
        ({"bucket_name": "192.168.1.1"}, "bucket_name = '192.168.1.1': '192.168.1.1' looks like an IP address"),
        (
            {"bucket_name": "data-s3alias"},
            "S3 reserves bucket names with the prefix or suffix '-s3alias'; use another name",
        ),
        (
            {"archive": {"standard": 30}},
            "archive: S3 can't move objects to storage class 'standard'; use one of standard_ia, ",
        ),
        (
            {"archive": {"cold": 30}},
            "archive: S3 can't move objects to storage class 'cold'; use one of standard_ia, ",
        ),
        (
            {"archive": {"standard_ia": 7}},
            "archive['standard_ia']: 7 is too low; S3 moves objects there only after 30 or more days",
        ),
        ({"archive": {"deep_archive": 30, "glacier": 180}}, "objects can't move from deep_archive to glacier"),
        ({"archive": {"glacier_ir": 90, "glacier": 90}}, "objects can't move from glacier_ir to glacier"),
        (
            {"archive": {"glacier_ir": 30, "deep_archive": 90}},
            "archive['deep_archive']: objects must stay in glacier_ir for at least 90 days, so use at "
            "least 120 days instead of 90",
        ),
        ({"archive": {"standard_ia": 30, "glacier": 45}}, "archive['glacier']: objects must stay in standard_ia for"),
        (
            {"archive": {"glacier": 90}, "expire_days": 90},
            "expire_days: objects would be deleted after 90 days, but they move to another storage class only "
            "after 90 days",
        ),
        ({"expire_days": 0}, "expire_days: 0 is too low; S3 deletes objects only after 1 or more days"),
    ],
)
def test_arguments_that_s3_refuses_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^DataBucketArgs\.") as error:
        args(**change)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"shards": 0},
            "shards = 0: the number of buckets must be between 1 and 100, the limit for directory buckets per "
            "account and region; use 1",
        ),
        ({"base": "CFD"}, "base = 'CFD': directory bucket names can't begin with 'CFD'"),
        (
            {"zone": "use2-az3"},
            "zone = 'use2-az3': S3 Express One Zone is not available in zone use2-az3; use 'use2-az1'",
        ),
        ({"base": "a" * 50}, "expands to a name of 68 characters, but S3 allows only 63; shorten the bucket name"),
    ],
)
def test_what_s3_express_refuses(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^ExpressDataBucketArgs\.") as error:
        express(**change)
    assert message in str(error.value)


@pytest.mark.parametrize("name", ["wing_data", "wing data", "w" * 56])
def test_a_component_whose_name_no_bucket_can_have_must_name_the_bucket(name: str) -> None:
    message = rf"a bucket name can't begin with the component's name, '{name}': .*; rename the component"
    with pytest.raises(ProgramError, match=message):
        record(lambda: DataBucket(name, args()))
    assert record(lambda: DataBucket(name, args(bucket_name="wing-data"))).one("aws:s3/bucket:Bucket")
    assert record(lambda: DataBucket("Wing", args())).one("aws:s3/bucket:Bucket")
