"""URLs of containers, ids of resources, keys and secrets: parsing and formatting are inverse."""

import uuid
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.azure.catalog.arm_ids import (
    ArmId,
    ArmKind,
    VaultUrl,
    arm_id,
    vault_url,
    wrong_arm_id,
    wrong_vault_url,
)
from hpc_components.azure.catalog.blob_urls import BLOB_SUFFIXES, BlobUrl, blob_url, wrong_blob_url
from hpc_components.azure.catalog.images import image_reference

SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"
GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/cfd"
VNET = f"{GROUP}/providers/Microsoft.Network/virtualNetworks/net"
KINDS: tuple[ArmKind, ...] = get_args(ArmKind)
VAULT = "https://hpc-vault.vault.azure.net"

accounts = st.from_regex(r"[a-z0-9]{3,24}", fullmatch=True)
containers = st.from_regex(r"[a-z0-9](-?[a-z0-9]){2,20}", fullmatch=True)
prefixes = st.from_regex(r"([A-Za-z0-9_.-]{1,8}/?){0,3}", fullmatch=True).filter(lambda p: ".." not in p)
words = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,20}", fullmatch=True)


@given(
    st.builds(BlobUrl, account=accounts, container=containers, prefix=prefixes, suffix=st.sampled_from(BLOB_SUFFIXES))
)
def test_an_address_of_a_container_is_read_as_it_was_written(url):
    assert blob_url(str(url)) == url
    assert wrong_blob_url(str(url)) is None
    assert url.whole.prefix == ""


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_there_is_a_reason(text):
    assert (blob_url(text) is None) == (wrong_blob_url(text) is not None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("https://hpc.blob.core.windows.net", "doesn't include a container name"),
        ("https://hpc.blob.core.windows.net/", "doesn't include a container name"),
        ("https://hpc.dfs.core.windows.net/data", "does not belong to Blob storage"),
        ("https://hpc.blob.core.windows.net/data?sv=2021&sig=x", "a container URL must not include a SAS token"),
        ("http://hpc.blob.core.windows.net/data", "is not the URL of a Blob container"),
        ("s3://bucket/prefix", "is not the URL of a Blob container"),
        ("https://HPC.blob.core.windows.net/data", "a storage account's name can't contain 'H'"),
        ("https://hpc.blob.core.windows.net/Data", "a container's name can't contain 'D'"),
        ("https://hpc.blob.core.windows.net/data/a//b", "the blob prefix 'a//b' is not supported"),
        ("https://hpc.blob.core.windows.net/data/../b", "the blob prefix '../b' is not supported"),
        ("https://hpc.blob.core.evil.net/data", "is not the URL of a Blob container"),
    ],
)
def test_an_address_that_names_no_container_is_refused(text, reason):
    assert blob_url(text) is None
    assert reason in (wrong_blob_url(text) or ("", ""))[0]


@given(st.uuids(), words, st.sampled_from(KINDS), st.lists(words, min_size=4, max_size=4))
def test_an_id_is_read_as_it_was_written(subscription, group, kind, names):
    form = (wrong_arm_id("", kind) or ("", ""))[1].partition(": ")[2]
    filled = form.replace("<subscription>", str(subscription)).replace("<group>", group)
    for name in names:
        filled = filled.replace("<name>", name, 1)
    found = arm_id(filled, kind)
    assert isinstance(found, ArmId)
    assert str(found) == filled
    assert wrong_arm_id(filled, kind) is None
    assert arm_id(filled.upper(), kind)
    assert found.same_as(arm_id(filled.lower()) or found)
    assert [other for other in KINDS if arm_id(filled, other)] == [kind]


def test_an_id_has_its_parents():
    subnet = arm_id(f"{VNET}/subnets/nodes", "subnet")
    assert subnet is not None
    assert (subnet.name, subnet.type) == ("nodes", "Microsoft.Network/virtualNetworks/subnets")
    assert str(subnet.parent()) == VNET
    assert str(subnet.parent().parent()) == GROUP
    assert (subnet.parent().type, subnet.parent().parent().type) == ("Microsoft.Network/virtualNetworks", "")
    assert (subnet.parent().parent().name, str(subnet.parent().parent().parent())) == ("cfd", GROUP)


def test_a_type_is_written_as_azure_does():
    found = arm_id(
        f"/subscriptions/{SUBSCRIPTION}/resourcegroups/cfd/providers/microsoft.network/virtualnetworks/net"
    )
    assert found is not None
    assert found.type == "Microsoft.Network/virtualNetworks"
    assert str(arm_id(f"{GROUP}/providers/Microsoft.New/things/a")) == f"{GROUP}/providers/Microsoft.New/things/a"


@pytest.mark.parametrize(
    "text",
    [
        "", "nodes", f"/subscriptions/{SUBSCRIPTION}", f"/subscriptions/x{SUBSCRIPTION[1:]}/resourceGroups/cfd",
        f"{VNET}/subnets", f"{VNET}/subnets/", f"{GROUP}/providers/Microsoft.Network", f"{VNET} ",
        f"{GROUP}./providers",
        f"/subscriptions/{SUBSCRIPTION}/resourceGroups/cfd./providers/Microsoft.Network/virtualNetworks/net",
    ],
)  # fmt: skip
def test_a_text_that_is_not_an_id_has_no_parts(text):
    assert arm_id(text) is None


def test_an_id_of_another_resource_is_told_as_such():
    reason, remedy = wrong_arm_id(VNET, "subnet") or ("", "")
    assert reason == f"{VNET!r} is the id of a Microsoft.Network/virtualNetworks"
    assert remedy.endswith("/providers/Microsoft.Network/virtualNetworks/<name>/subnets/<name>")
    assert (wrong_arm_id(GROUP, "identity") or ("", ""))[0] == f"{GROUP!r} is the id of a resource group"


@pytest.mark.parametrize("suffix", ["vault.azure.net", "vault.usgovcloudapi.net", "vault.azure.cn"])
@pytest.mark.parametrize("version", [None, uuid.UUID(int=1).hex])
def test_keys_and_secrets_are_read_as_they_were_written(suffix, version):
    for kind in ("keys", "secrets"):
        url = VaultUrl(vault="hpc-vault", kind=kind, name="db-password", version=version, suffix=suffix)
        assert vault_url(str(url), kind) == url
        assert wrong_vault_url(str(url), kind) is None


@pytest.mark.parametrize(
    "text",
    [
        f"{VAULT}/keys/a", f"{VAULT}/secrets", f"{VAULT}/secrets/a_b", f"{VAULT}/secrets/a/v1",
        VAULT.replace("https", "http") + "/secrets/a", "https://v.vault.azure.net/secrets/a",
    ],
)  # fmt: skip
def test_an_address_that_names_no_secret_is_refused(text):
    assert vault_url(text, "secrets") is None
    assert "secret" in " ".join(wrong_vault_url(text, "secrets") or ())


GALLERY = f"{GROUP}/providers/Microsoft.Compute/galleries/g/images/i"


@pytest.mark.parametrize(
    "text",
    [
        f"{GROUP}/providers/Microsoft.Compute/images/i", GALLERY, f"{GALLERY}/versions/1.2.3",
        "/CommunityGalleries/almalinux-389a/Images/almalinux-hpc/Versions/latest",
    ],
)  # fmt: skip
def test_an_image_id_is_a_reference(text):
    assert image_reference(text) == {"id": text}


def test_a_urn_is_read_as_an_image_reference():
    assert image_reference("Canonical:ubuntu-24_04-lts:server:latest") == {
        "publisher": "Canonical", "offer": "ubuntu-24_04-lts", "sku": "server", "version": "latest",
    }  # fmt: skip
    assert image_reference("ubuntu-24.04") is None
    assert image_reference(f"{GALLERY}/other/1") is None
