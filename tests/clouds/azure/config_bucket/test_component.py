import hashlib
from typing import Any

import pulumi
import pytest

from clouds.azure.modes import checked_preview
from clouds.azure.sample import GROUP, NETWORK, PRIVATE, TAGS
from hpc_components.azure.components.storage_account import account_stem
from hpc_components.azure.config_bucket.component import ConfigBucket, ConfigBucketArgs
from hpc_components.boot.manifest import manifest
from hpc_components.preview.record import UNKNOWN, Recording, record

FILES = {
    "boot/head.sh": "#!/bin/bash\necho Zürich\n",
    "common/cluster.json": '{"name": "cfd"}\n',
    "head/slurm.conf": "ClusterName=cfd\n",
}
BLOB = "azure-native:storage:Blob"


def make(**change: Any) -> None:
    usual = {"group": GROUP, "network": NETWORK, "files": FILES, "tags": TAGS}
    made = ConfigBucket("cfd-config", ConfigBucketArgs(**{**usual, **change}))
    pulumi.export("store", [made.store.address, made.store.container_id, made.store.nodes_container_id])


@pytest.fixture(scope="module")
def usual() -> Recording:
    return checked_preview(make)


def test_each_file_is_a_blob_with_its_text(usual):
    texts = {**FILES, "manifest": manifest(FILES)}
    for each in usual.all(BLOB):
        path = each.inputs["blobName"]
        assert each.name == f"cfd-config/{path}"
        assert each.inputs["source"]["asset"]["text"] == texts.pop(path)
        assert (each.inputs["contentType"], each.inputs["type"]) == ("text/plain; charset=utf-8", "Block")
    assert not texts


def test_the_manifest_comes_last(usual):
    """A node that reads the manifest must find every file in it."""
    listed = {each.urn for each in usual.all(BLOB) if each.inputs["blobName"] != "manifest"}
    assert listed <= set(usual.one(BLOB, "cfd-config/manifest").depends_on)


def test_a_new_text_is_a_new_blob_of_the_same_name(usual):
    """The provider replaces the blob: deleting the old one after creating the new one would delete both."""
    assert all(each.delete_before_replace for each in usual.all(BLOB))


def test_nodes_use_roles_and_only_pulumi_a_key(usual):
    account = usual.one("StorageAccount", account_stem("cfd-config"))
    assert account.inputs["allowSharedKeyAccess"] is True
    assert account.inputs["allowBlobPublicAccess"] is False
    assert account.inputs["minimumTlsVersion"] == "TLS1_2"
    assert (account.protect, account.retain) == (False, False), "it holds nothing that can't be made again"
    containers = {each.name: each.inputs for each in usual.all("BlobContainer")}
    assert {each["containerName"]: each["publicAccess"] for each in containers.values()} == {
        "config": "None",
        "nodes": "None",
    }


def test_all_of_it_goes_with_the_account(usual):
    account = usual.one("StorageAccount").urn
    for each in (*usual.all(BLOB), *usual.all("BlobContainer")):
        assert each.deleted_with == account


def test_the_outputs_say_where_it_is():
    address, config, nodes = record(make, preview=False).outputs["store"]
    assert address.endswith("/config")
    assert "cfd-config-config" in config
    assert "cfd-config-nodes" in nodes


def test_texts_that_are_known_later_are_in_the_manifest():
    def program() -> None:
        later = pulumi.Output.from_input("mounts").apply(lambda text: f"{text}\n")
        make(files={**FILES, "common/mounts.json": later})

    update = record(program, preview=False)
    texts = {each.inputs["blobName"]: each.inputs["source"]["asset"]["text"] for each in update.all(BLOB)}
    assert texts["common/mounts.json"] == "mounts\n"
    assert hashlib.sha256(b"mounts\n").hexdigest() in texts["manifest"]


def test_it_is_inside_a_network_with_a_zone_for_blobs(usual):
    assert not usual.all("PrivateEndpoint")
    inside = record(lambda: make(network=PRIVATE))
    assert inside.one("PrivateEndpoint").inputs["privateLinkServiceConnections"][0]["groupIds"] == ["blob"]
    assert inside.one("StorageAccount").inputs["publicNetworkAccess"] == "Enabled", "Pulumi comes from outside"


@pytest.mark.parametrize("path", ["/etc/passwd", "../up", "a b", ""])
def test_paths_that_a_node_cannot_fetch_are_refused(path):
    with pytest.raises(ValueError, match=r"^ConfigBucketArgs\.files: "):
        ConfigBucketArgs(group=GROUP, files={path: ""}, tags=TAGS)


def test_plain_text_is_known_before_anything_is_made(usual):
    assert UNKNOWN not in {
        each.inputs["source"] if isinstance(each.inputs["source"], str) else "" for each in usual.all(BLOB)
    }
