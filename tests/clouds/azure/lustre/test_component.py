from datetime import UTC, datetime
from typing import Any

import pulumi
import pytest

from clouds.azure.modes import checked_preview
from clouds.azure.sample import GROUP, NETWORK, SUBSCRIPTION, TAGS
from hpc_components.azure.lustre.component import (
    LustreEncryption,
    LustreFilesystem,
    LustreFilesystemArgs,
)
from hpc_components.azure.lustre.link import LustreLink, seconds_until_known
from hpc_components.preview.record import Recording, record

ACCOUNT = f"{SUBSCRIPTION}/resourceGroups/data/providers/Microsoft.Storage/storageAccounts/wingdata"
BLOBS = "https://wingdata.blob.core.windows.net"
PRINCIPAL = "99999999-8888-7777-6666-555555555555"
KEY = LustreEncryption(
    key_url="https://keys.vault.azure.net/keys/lustre/0123456789abcdef0123456789abcdef",
    vault_id=f"{GROUP.id}/providers/Microsoft.KeyVault/vaults/keys",
    identity_id=f"{GROUP.id}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/lustre",
)


def link(**change: Any) -> LustreLink:
    usual: dict[str, Any] = {
        "account_id": ACCOUNT,
        "bucket": f"{BLOBS}/runs/wing",
        "log_bucket": f"{BLOBS}/log",
        "principal_id": PRINCIPAL,
    }
    return LustreLink(**{**usual, **change})


def args(**change: Any) -> LustreFilesystemArgs:
    usual: dict[str, Any] = {
        "mount": "/scratch",
        "capacity_tib": 16,
        "zone": "eastus-1",
        "group": GROUP,
        "subnet_id": NETWORK.subnets["lustre"],
        "tags": TAGS,
    }
    return LustreFilesystemArgs(**{**usual, **change})


def make(**change: Any) -> None:
    mount = LustreFilesystem("scratch", args(**change)).mount
    fixed = {"name": mount.name, "type": mount.type, "mount": mount.mount, "options": mount.options}
    pulumi.export("mount", {**fixed, "server": mount.server, "export": mount.export})


@pytest.fixture(scope="module")
def plain() -> Recording:
    return checked_preview(make)


@pytest.fixture(scope="module")
def linked() -> Recording:
    return checked_preview(lambda: make(link=link()))


def test_the_reference_scratch_is_ordered_as_described(plain):
    file_system = plain.one("azure-native:storagecache:AmlFilesystem", "scratch")
    assert file_system.inputs == {
        "filesystemSubnet": NETWORK.subnets["lustre"],
        "location": "eastus",
        "maintenanceWindow": {"dayOfWeek": "Sunday", "timeOfDayUTC": "03:00"},
        "resourceGroupName": "cfd",
        "sku": {"name": "AMLFS-Durable-Premium-250"},
        "storageCapacityTiB": 16,
        "tags": {"ClusterName": "cfd", "Name": "scratch", "Project": "wing"},
        "zones": ["1"],
    }
    assert [each.type for each in plain.resources if each.custom] == ["azure-native:storagecache:AmlFilesystem"]


def test_a_region_without_zones_needs_none():
    inputs = record(lambda: make(zone="eastus")).one("AmlFilesystem").inputs
    assert "zones" not in inputs


def test_the_roles_come_first(linked):
    file_system = linked.one("AmlFilesystem")
    granted = linked.all("azure-native:authorization:RoleAssignment")
    assert {each.urn for each in granted} <= {*file_system.depends_on}
    assert {each.inputs["roleDefinitionId"].rpartition("/")[2] for each in granted} == {
        "17d1049b-9a84-46fb-8f53-869881c3d3ab",  # Storage Account Contributor
        "ba92f5b4-2d11-453d-a403-e96b0029c9fe",  # Storage Blob Data Contributor
    }
    for each in granted:
        assert each.inputs["scope"] == ACCOUNT
        assert each.inputs["principalId"] == PRINCIPAL
        assert each.inputs["principalType"] == "ServicePrincipal"
        assert each.ignore_changes == ("roleDefinitionId",)


def test_who_has_the_roles_already_gets_none():
    assert not record(lambda: make(link=link(principal_id=None))).all("RoleAssignment")


NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("created", "seconds"),
    [
        ("2026-05-01T12:00:00.1234567Z", 300),
        ("2026-05-01T11:58:00Z", 180),
        ("2026-05-01T11:50:00Z", 0),
        ("2026-05-01T12:30:00Z", 300),  # this machine's clock is slow
        ("2026-05-01T11:58:00", 0),  # without a time zone
        ("standin-7", 0),
        (None, 0),
    ],
)
def test_a_new_role_is_waited_for(created, seconds):
    assert seconds_until_known({"createdOn": created}, NOW) == pytest.approx(seconds, abs=1)
    assert seconds_until_known({}, NOW) == 0


def test_the_wait_belongs_to_the_making_of_roles(monkeypatch):
    """The recording runs no hooks, so the test checks what the SDK receives."""
    bound = []
    monkeypatch.setattr(pulumi, "ResourceHookBinding", lambda **hooks: bound.append(hooks) or REAL_BINDING(**hooks))
    record(lambda: make(link=link()))
    assert [[*hooks] for hooks in bound] == [["after_create"], ["after_create"]]


REAL_BINDING = pulumi.ResourceHookBinding


def test_a_link_is_made_with_the_file_system_and_exports(linked):
    settings = linked.one("AmlFilesystem").inputs["hsm"]["settings"]
    assert settings == {
        "container": f"{ACCOUNT}/blobServices/default/containers/runs",
        "loggingContainer": f"{ACCOUNT}/blobServices/default/containers/log",
        "importPrefix": "/wing",
    }
    export = linked.one("azure-native:storagecache:AutoExportJob", "scratch-export")
    assert export.inputs["autoExportPrefixes"] == ["/wing"]
    assert export.inputs["adminStatus"] == "Enable"
    assert export.property_dependencies["amlFilesystemName"] == (linked.one("AmlFilesystem").urn,)
    assert not linked.all("AutoImportJob"), "Azure runs one of both"


@pytest.mark.parametrize(
    ("changes", "mode", "deletions"),
    [
        (("new", "changed", "deleted"), "OverwriteIfDirty", True),
        (("new", "changed"), "OverwriteIfDirty", False),
        (("new", "deleted"), "Skip", True),
        (("new",), "Skip", False),
    ],
)
def test_automatic_imports_follow_the_changes_named(changes, mode, deletions):
    one_way = link(bucket=f"{BLOBS}/runs", auto_import=changes, auto_export=())
    recording = record(lambda: make(link=one_way))
    job = recording.one("azure-native:storagecache:AutoImportJob", "scratch-import").inputs
    assert (job["conflictResolutionMode"], job["enableDeletions"]) == (mode, deletions)
    assert job["autoImportPrefixes"] == ["/"]
    assert job["maximumErrors"] == -1
    assert not recording.all("AutoExportJob")
    first = recording.one("AmlFilesystem").inputs["hsm"]["settings"]["importPrefix"]
    assert first == "/nothing-is-called-this", "the job's own scan would find a first import still running"


def test_a_link_that_copies_nothing_by_itself():
    recording = record(lambda: make(link=link(auto_export=())))
    assert not recording.all("AutoExportJob")
    assert not recording.all("AutoImportJob")
    assert "hsm" in recording.one("AmlFilesystem").inputs


def test_a_file_system_is_kept_with_its_data(linked):
    file_system = linked.one("AmlFilesystem")
    assert (file_system.protect, file_system.retain) == (True, True)
    assert [each.retain for each in linked.all("RoleAssignment")] == [True, True]
    assert linked.one("AutoExportJob").deleted_with == file_system.urn
    thrown = record(lambda: make(link=link(), retain=False))
    assert not [each.urn for each in thrown.resources if each.protect or each.retain]


def test_root_squash_excludes_the_head_node():
    recording = record(lambda: make(root_squash="root_only", trusted=("10.20.0.20",)))
    assert recording.one("AmlFilesystem").inputs["rootSquashSettings"] == {
        "mode": "RootOnly",
        "noSquashNidLists": "10.20.0.20@tcp",
        "squashGID": 65534,
        "squashUID": 65534,
    }


def test_an_own_key_encrypts_the_file_system():
    inputs = checked_preview(lambda: make(encryption=KEY)).one("AmlFilesystem").inputs
    assert inputs["encryptionSettings"] == {
        "keyEncryptionKey": {"keyUrl": KEY.key_url, "sourceVault": {"id": KEY.vault_id}}
    }
    assert inputs["identity"] == {"type": "UserAssigned", "userAssignedIdentities": [KEY.identity_id]}


def test_the_mount_says_server_and_options():
    mount = record(make, preview=False).outputs["mount"]
    assert (mount["name"], mount["type"], mount["mount"]) == ("scratch", "lustre", "/scratch")
    assert mount["export"] == "lustrefs"
    assert mount["server"].endswith("mgsAddress")
    assert {"noatime", "flock", "_netdev"} <= {*mount["options"].split(",")}


def test_more_than_the_quota_is_not_refused():
    """A support request may have raised the quota, which is not known here."""
    assert args(capacity_tib=256).capacity_tib == 256


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"throughput": 100},
            "throughput = 100: Managed Lustre has no tier with 100 MB/s per TiB; use 40, 125, 250 or 500",
        ),
        (
            {"capacity_tib": 20},
            "capacity_tib = 20: with 250 MB/s per TiB, Managed Lustre offers only multiples of 8 TiB, and 20 "
            "TiB is not one; use 24; or use 16",
        ),
        (
            {"capacity_tib": 4.5, "throughput": 500},
            "capacity_tib = 4.5: with 500 MB/s per TiB, Managed Lustre offers only",
        ),
        ({"zone": "1"}, "zone: "),
        ({"zone": "westus-1"}, "zone: "),
        (
            {"maintenance": "Sunday 3"},
            "maintenance = 'Sunday 3': 'Sunday 3' is not a day and a time (UTC); use 'Sunday 03:00'",
        ),
        (
            {"root_squash": "root"},
            "root_squash: 'root' is unknown; use one of: none, root_only, all",
        ),
        ({"trusted": ("10.20.0.20",)}, "trusted: without root_squash, all nodes are trusted; leave trusted out,"),
        ({"link": link(bucket="s3://runs")}, "link.bucket = 's3://runs': 's3://runs' is not the URL of a Blob"),
        (
            {"link": link(log_bucket=f"{BLOBS}/runs")},
            f"link.log_bucket = '{BLOBS}/runs': the log and the data are in the "
            "same container; use another container in the same",
        ),
        (
            {"link": link(log_bucket=f"{BLOBS}/log/a")},
            f"link.log_bucket = '{BLOBS}/log/a': the log requires a whole "
            "container, so its URL must not contain a prefix; "
            f"use '{BLOBS}/log'",
        ),
        (
            {"link": link(log_bucket="https://other.blob.core.windows.net/log")},
            "link.log_bucket = 'https://other.blob.core.windows.net/log': the log container is not in the "
            "storage account that contains the data, wingdata; use a container in wingdata",
        ),
        ({"link": link(account_id="wingdata")}, "link.account_id: 'wingdata': "),
        (
            {"link": link(account_id=ACCOUNT.replace("wingdata", "other"))},
            "link.account_id: the account is other, but the bucket is in wingdata",
        ),
        (
            {"link": link(auto_export=("new",))},
            "link.auto_export: Azure can't export only new files or only changed files; use ('new', "
            "'changed'); or use ()",
        ),
        (
            {"link": link(auto_import=("changed",), auto_export=())},
            "link.auto_import: automatic imports always include new objects; use ('new', 'changed')",
        ),
        (
            {"link": link(auto_import=("created",))},
            "link.auto_import: 'created' is not a change that Azure copies; use new, changed or deleted",
        ),
        (
            {"link": link(auto_import=("new",))},
            "link.auto_import: a link can't both import and export automatically; the default is to "
            "export; use link.auto_export=(); or use ()",
        ),
        (
            {"encryption": LustreEncryption(key_url="lustre", vault_id="v", identity_id="i")},
            "encryption.key_url: 'lustre': ",
        ),
    ],
)
def test_arguments_that_azure_refuses_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^LustreFilesystemArgs\.") as error:
        args(**change)
    assert f"LustreFilesystemArgs.{message}" in str(error.value)
