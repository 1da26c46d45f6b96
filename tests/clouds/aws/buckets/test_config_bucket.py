import json
from typing import Any

import pulumi
import pytest
from both_modes import in_both_modes

from clouds.aws.sample import TAGS
from hpc_components.aws.config_bucket.component import ConfigBucket, ConfigBucketArgs
from hpc_components.boot.manifest import manifest
from hpc_components.preview.record import UNKNOWN, Recording, record

FILES = {
    "boot/head.sh": "#!/bin/bash\necho Zürich\n",
    "common/cluster.json": '{"name": "cfd"}\n',
    "head/slurm.conf": "ClusterName=cfd\n",
}
OBJECT = "aws:s3/bucketObjectv2:BucketObjectv2"


def recorded() -> tuple[Recording, Recording]:
    def program() -> None:
        made = ConfigBucket("config", ConfigBucketArgs(files=FILES, tags=TAGS))
        pulumi.export("store", [made.store.bucket, made.store.arn])

    return in_both_modes(program)


def contents(recording: Recording) -> dict[str, str]:
    return {each.inputs["key"]: each.inputs["content"] for each in recording.all(OBJECT)}


def test_each_file_is_an_object_with_its_text() -> None:
    update, preview = recorded()
    assert contents(update) == contents(preview) == {**FILES, "manifest": manifest(FILES)}
    assert {each.name for each in preview.all(OBJECT)} == {f"config/{path}" for path in (*FILES, "manifest")}
    assert {each.inputs["contentType"] for each in preview.all(OBJECT)} == {"text/plain; charset=utf-8"}


def test_the_manifest_comes_after_all_files() -> None:
    """A node that reads the manifest finds all files that it lists."""
    update, _ = recorded()
    listed = {each.urn for each in update.all(OBJECT) if each.inputs["key"] != "manifest"}
    assert listed <= set(update.one(OBJECT, "config/manifest").depends_on)


def test_the_bucket_is_private_versioned_and_not_kept() -> None:
    update, preview = recorded()
    bucket = update.one("aws:s3/bucket:Bucket", "config")
    assert bucket.inputs["forceDestroy"] is True
    assert bucket.inputs["tags"]["ClusterName"] == "cfd"
    assert "bucket" not in bucket.inputs, "the name is the provider's"
    assert (bucket.protect, bucket.retain) == (False, False)
    closed = update.one("BucketPublicAccessBlock").inputs
    assert [value for key, value in closed.items() if key != "bucket"] == [True] * 4
    assert update.one("BucketVersioning").inputs["versioningConfiguration"] == {"status": "Enabled"}
    assert preview.one("BucketVersioning").inputs["bucket"] == UNKNOWN


def test_the_bucket_is_read_by_tls_only() -> None:
    update, _ = recorded()
    arn = update.outputs["store"][1]
    policy = json.loads(update.one("BucketPolicy").inputs["policy"])
    assert policy["Statement"] == [
        {
            "Sid": "TlsOnly",
            "Effect": "Deny",
            "Principal": "*",
            "Action": "s3:*",
            "Resource": [arn, f"{arn}/*"],
            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
        }
    ]
    assert update.one("BucketPublicAccessBlock").urn in update.one("BucketPolicy").depends_on


def test_a_text_that_only_the_cloud_knows_hides_no_other() -> None:
    def program() -> None:
        other = ConfigBucket("other", ConfigBucketArgs(files={}, tags=TAGS))
        fstab = pulumi.Output.concat(other.store.bucket, ":/ /fsx\n")
        ConfigBucket("config", ConfigBucketArgs(files={**FILES, "common/fstab": fstab}, tags=TAGS))

    preview, update = record(program, preview=True), record(program, preview=False)
    assert preview.one(OBJECT, "config/common/fstab").inputs["content"] == UNKNOWN
    assert preview.one(OBJECT, "config/head/slurm.conf").inputs["content"] == FILES["head/slurm.conf"]
    assert preview.one(OBJECT, "config/manifest").inputs["content"] == UNKNOWN
    fstab = update.one(OBJECT, "config/common/fstab").inputs["content"]
    assert update.one(OBJECT, "config/manifest").inputs["content"] == manifest({**FILES, "common/fstab": fstab})


@pytest.mark.parametrize("path", ["manifest", "/etc/passwd"])
def test_paths_that_a_node_cannot_fetch_are_refused(path: str) -> None:
    files: dict[str, Any] = {path: "x"}
    with pytest.raises(ValueError, match=r"^ConfigBucketArgs\.files: ") as error:
        ConfigBucketArgs(files=files, tags=TAGS)
    assert repr(path) in str(error.value)
