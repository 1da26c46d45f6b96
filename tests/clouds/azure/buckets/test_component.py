from typing import Any

import pulumi
import pytest

from clouds.azure.modes import checked_preview
from clouds.azure.sample import GROUP, PRIVATE, TAGS
from hpc_components.azure.buckets.component import DataBucket, DataBucketArgs
from hpc_components.azure.components.storage_account import account_stem
from hpc_components.preview.record import UNKNOWN, Recording, record


def args(**change: Any) -> DataBucketArgs:
    return DataBucketArgs(**{"group": GROUP, "tags": TAGS, **change})


def make(**change: Any) -> None:
    made = DataBucket("cfd-results", args(**change))
    ref = made.bucket("results")
    assert ref.name == "results"
    pulumi.export("bucket", {"account": ref.account, "container": ref.container, "id": ref.id, "url": ref.url})


@pytest.fixture(scope="module")
def usual() -> Recording:
    return checked_preview(lambda: make(network=PRIVATE))


def rules(**change: Any) -> dict[str, dict[str, Any]]:
    policy = record(lambda: make(**change)).one("azure-native:storage:ManagementPolicy").inputs["policy"]
    found = {rule["name"]: rule["definition"] for rule in policy["rules"]}
    assert all(name.isalnum() for name in found)
    assert {rule["type"] for rule in policy["rules"]} == {"Lifecycle"}
    filters = {"blobTypes": ["blockBlob"], "prefixMatch": ["data/"]}
    assert all(definition.pop("filters") == filters for definition in found.values())
    return {name: definition["actions"] for name, definition in found.items()}


def test_the_bucket_is_private_and_kept(usual):
    account = usual.one("azure-native:storage:StorageAccount")
    assert account.name == account_stem("cfd-results")
    assert account.inputs == {
        "allowBlobPublicAccess": False,
        "allowCrossTenantReplication": False,
        "allowSharedKeyAccess": False,
        "defaultToOAuthAuthentication": True,
        "enableHttpsTrafficOnly": True,
        "kind": "StorageV2",
        "location": "eastus",
        "minimumTlsVersion": "TLS1_2",
        "publicNetworkAccess": "Enabled",
        "resourceGroupName": "cfd",
        "sku": {"name": "Standard_LRS"},
        "tags": {"ClusterName": "cfd", "Name": "cfd-results", "Project": "wing"},
    }
    container = usual.one("BlobContainer")
    assert container.inputs["containerName"] == "data"
    assert container.inputs["publicAccess"] == "None"
    for each in (account, container):
        assert (each.protect, each.retain) == (True, True)
    for kind in ("BlobContainer", "BlobServiceProperties", "ManagementPolicy"):
        assert usual.one(kind).deleted_with == account.urn


def test_a_bucket_to_throw_away_is_not_protected():
    recording = record(lambda: make(retain=False))
    assert not [each.urn for each in recording.resources if each.protect or each.retain]


def test_overwritten_and_deleted_objects_are_kept_for_thirty_days(usual):
    service = usual.one("BlobServiceProperties").inputs
    assert service["isVersioningEnabled"] is True
    assert service["deleteRetentionPolicy"] == {"enabled": True, "days": 30}
    assert service["containerDeleteRetentionPolicy"] == {"enabled": True, "days": 30}


def test_a_bucket_may_be_without_versions():
    recording = record(lambda: make(versioning=False))
    service = recording.one("BlobServiceProperties").inputs
    assert service["isVersioningEnabled"] is False
    assert service["deleteRetentionPolicy"] == service["containerDeleteRetentionPolicy"] == {"enabled": False}
    assert not recording.all("ManagementPolicy"), "a policy has one rule at least"


def test_a_network_with_private_endpoints_gets_one(usual):
    endpoint = usual.one("PrivateEndpoint", "cfd-results-blob-endpoint")
    assert endpoint.inputs["privateLinkServiceConnections"][0]["groupIds"] == ["blob"]
    assert not record(make).all("PrivateEndpoint")


def test_colder_tiers_and_the_end():
    after = "daysAfterModificationGreaterThan"
    assert rules(archive={"archive": 180, "cool": 30}, expire_days=3650) == {
        "archive": {"baseBlob": {"tierToCool": {after: 30}, "tierToArchive": {after: 180}}},
        "expire": {"baseBlob": {"delete": {after: 3650}}},
        "versions": {"version": {"delete": {"daysAfterCreationGreaterThan": 30}}},
    }
    assert rules(archive={"cold": 0}, versioning=False) == {"archive": {"baseBlob": {"tierToCold": {after: 0}}}}


def test_a_bucket_may_have_a_name_of_its_own():
    assert record(lambda: make(account_name="wingdata")).one("StorageAccount").inputs["accountName"] == "wingdata"


def test_the_outputs_name_account_and_address(usual):
    assert usual.outputs["bucket"]["account"] == UNKNOWN
    outputs = record(make, preview=False).outputs["bucket"]
    assert outputs["url"].startswith(f"https://{outputs['account']}.blob.core.windows.net/")
    assert outputs["url"].endswith(f"/{outputs['container']}")


def test_beginnings_of_account_names_differ_where_accounts_do():
    names = [
        "cfd-results",
        "cfdresults",
        "CFD-Results",
        "a-very-long-name-of-a-cluster-1",
        "a-very-long-name-of-a-cluster-2",
    ]
    stems = [account_stem(name) for name in names]
    assert len({*stems}) == len(names)
    assert all(3 <= len(stem) + 8 <= 24 and stem.isalnum() and stem == stem.lower() for stem in stems)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"account_name": "My_Bucket"}, "account_name: 'My_Bucket' is not a valid account name"),
        ({"account_name": "ab"}, "account_name: 'ab' is not a valid account name"),
        ({"archive": {"hot": 30}}, "archive: Blob Storage can't move objects to tier 'hot'; use cool, cold, archive"),
        (
            {"archive": {"cool": -1}},
            "archive['cool']: -1 days is too short; Azure moves objects there only from day 0 on",
        ),
        (
            {"archive": {"cool": 90, "archive": 30}},
            "archive['archive']: 30 days, but objects move to cool at 90 days; ages must increase in the "
            "order cool, cold, archive",
        ),
        (
            {"archive": {"archive": 90}, "expire_days": 90},
            "expire_days: objects expire at 90 days, but they would move to another tier only at 90 days",
        ),
        ({"expire_days": 0}, "expire_days: 0 days is too short; Azure deletes objects only from day 1 on"),
    ],
)
def test_arguments_that_azure_refuses_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^DataBucketArgs\.") as error:
        args(**change)
    assert message in str(error.value)
