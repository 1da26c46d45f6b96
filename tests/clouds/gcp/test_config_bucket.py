import hashlib
from typing import Any

import pulumi
import pytest
from both_modes import checked_preview

from clouds.gcp.sample import PROJECT, REGION, TAGS
from hpc_components.boot.manifest import manifest
from hpc_components.gcp.config_bucket.component import ConfigBucket, ConfigBucketArgs
from hpc_components.preview.record import UNKNOWN, Recording, record

FILES = {
    "boot/head.sh": "#!/bin/bash\necho Zürich\n",
    "common/cluster.json": '{"name": "cfd"}\n',
    "head/slurm.conf": "ClusterName=cfd\n",
}
OBJECT = "BucketObject"


def make(**change: Any) -> None:
    usual = {"project": PROJECT, "region": REGION, "files": FILES, "tags": TAGS}
    made = ConfigBucket("cfd-config", ConfigBucketArgs(**{**usual, **change}))
    pulumi.export("store", made.store.bucket)
    pulumi.export("project", made.project_number)


@pytest.fixture(scope="module")
def usual() -> Recording:
    return checked_preview(make)


def test_each_file_is_an_object_with_its_text(usual):
    """They are plain text: plans do not show what the SDK treats as a secret."""
    texts = {**FILES, "manifest": manifest(FILES)}
    for each in usual.all(OBJECT):
        path = each.inputs["name"]
        assert each.name == f"cfd-config/{path}"
        assert each.inputs["source"]["asset"]["text"] == texts.pop(path)
        assert each.inputs["contentType"] == "text/plain; charset=utf-8"
        assert "content" not in each.inputs
    assert not texts


def test_the_manifest_comes_last(usual):
    """A node that reads the manifest must find all that it lists."""
    listed = {each.urn for each in usual.all(OBJECT) if each.inputs["name"] != "manifest"}
    assert listed <= {*usual.one(OBJECT, "cfd-config/manifest").depends_on}


def test_a_new_text_is_a_new_object_of_the_same_name(usual):
    """If the new object were created first, deleting the old one would delete it too."""
    assert all(each.delete_before_replace for each in usual.all(OBJECT))


def test_only_roles_open_it_and_old_versions_go(usual):
    bucket = usual.one("gcp:storage/bucket:Bucket")
    assert bucket.inputs == {
        "forceDestroy": True,
        "labels": {"clustername": "cfd", "name": "cfd-config", "project": "wing"},
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
    assert (bucket.protect, bucket.retain) == (False, False), "it holds nothing that can't be made again"


def test_all_of_it_goes_with_the_bucket(usual):
    for each in usual.all(OBJECT):
        assert each.deleted_with == usual.one("gcp:storage/bucket:Bucket").urn


def test_the_outputs_say_where_it_is(usual):
    assert usual.outputs["store"] == UNKNOWN
    assert "cfd-config" in record(make, preview=False).outputs["store"]


def test_texts_that_are_known_later_are_in_the_manifest():
    def program() -> None:
        later = pulumi.Output.from_input("mounts").apply(lambda text: f"{text}\n")
        make(files={**FILES, "common/mounts.json": later})

    update = record(program, preview=False)
    texts = {each.inputs["name"]: each.inputs["source"]["asset"]["text"] for each in update.all(OBJECT)}
    assert texts["common/mounts.json"] == "mounts\n"
    assert hashlib.sha256(b"mounts\n").hexdigest() in texts["manifest"]


@pytest.mark.parametrize("path", ["/etc/passwd", "../up", "a b", ""])
def test_paths_that_a_node_cannot_fetch_are_refused(path):
    with pytest.raises(ValueError, match=r"^ConfigBucketArgs\.files: "):
        ConfigBucketArgs(project=PROJECT, region=REGION, files={path: ""}, tags=TAGS)
