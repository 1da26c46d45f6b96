from ipaddress import IPv4Address
from typing import Any

import pulumi
import pytest

from clouds.azure.modes import checked_preview
from clouds.azure.sample import GROUP, NETWORK, PRIVATE, TAGS
from hpc_components.azure.home.component import HomeFilesystem, HomeFilesystemArgs
from hpc_components.azure.ports import Network
from hpc_components.preview.record import UNKNOWN, Recording, record

NETAPP: dict[str, Any] = {"kind": "netapp", "capacity_gib": 2560}


def args(**change: Any) -> HomeFilesystemArgs:
    usual: dict[str, Any] = {
        "mount": "/home",
        "capacity_gib": 1024,
        "group": GROUP,
        "network": NETWORK,
        "tags": TAGS,
    }
    return HomeFilesystemArgs(**{**usual, **change})


def made(**change: Any) -> HomeFilesystem:
    home = HomeFilesystem("home", args(**change))
    mount = home.mount
    fixed = {"name": mount.name, "type": mount.type, "mount": mount.mount, "options": mount.options}
    pulumi.export("mount", {**fixed, "server": mount.server, "export": mount.export})
    return home


@pytest.fixture(scope="module")
def files() -> Recording:
    return checked_preview(made)


@pytest.fixture(scope="module")
def private() -> Recording:
    return checked_preview(lambda: made(network=PRIVATE))


@pytest.fixture(scope="module")
def netapp() -> Recording:
    return checked_preview(lambda: made(**NETAPP))


def test_a_share_of_azure_files(files):
    account = files.one("azure-native:storage:StorageAccount")
    assert account.name == "home4ea1"
    assert account.inputs == {
        "allowBlobPublicAccess": False,
        "allowCrossTenantReplication": False,
        "allowSharedKeyAccess": False,
        "defaultToOAuthAuthentication": True,
        "enableHttpsTrafficOnly": False,
        "kind": "FileStorage",
        "location": "eastus",
        "minimumTlsVersion": "TLS1_2",
        "networkRuleSet": {
            "bypass": "None",
            "defaultAction": "Deny",
            "virtualNetworkRules": [
                {"action": "Allow", "virtualNetworkResourceId": NETWORK.subnets[place]}
                for place in ("head", "login", "nodes")
            ],
        },
        "publicNetworkAccess": "Enabled",
        "resourceGroupName": "cfd",
        "sku": {"name": "Premium_LRS"},
        "tags": {"ClusterName": "cfd", "Name": "home", "Project": "wing"},
    }
    assert files.one("FileShare").inputs == {
        "accountName": UNKNOWN,
        "enabledProtocols": "NFS",
        "resourceGroupName": "cfd",
        "rootSquash": "NoRootSquash",
        "shareName": "data",
        "shareQuota": 1024,
    }
    assert files.one("FileServiceProperties").inputs["shareDeleteRetentionPolicy"] == {"enabled": True, "days": 7}
    assert not files.all("PrivateEndpoint")


def test_a_share_by_a_private_endpoint_has_no_public_address(private):
    account = private.one("StorageAccount")
    assert account.inputs["publicNetworkAccess"] == "Disabled"
    assert "networkRuleSet" not in account.inputs
    endpoint = private.one("PrivateEndpoint", "home-file-endpoint")
    assert endpoint.inputs["subnet"] == {"id": PRIVATE.subnets["endpoints"]} | {
        key: endpoint.inputs["subnet"][key] for key in endpoint.inputs["subnet"] if key.startswith("private")
    }
    assert endpoint.inputs["privateLinkServiceConnections"] == [
        {"groupIds": ["file"], "name": "file", "privateLinkServiceId": UNKNOWN}
    ]
    assert endpoint.property_dependencies["privateLinkServiceConnections"] == (account.urn,)
    record_of = private.one("PrivateDnsZoneGroup")
    assert record_of.inputs["privateDnsZoneConfigs"] == [
        {"name": "file", "privateDnsZoneId": PRIVATE.private_zones["file"]}
    ]
    assert record_of.property_dependencies["privateEndpointName"] == (endpoint.urn,)


def test_one_subnet_for_all_nodes_is_let_in_once():
    one = Network(id=NETWORK.id, cidr=NETWORK.cidr, subnets=dict.fromkeys(("head", "login", "nodes"), "subnet"))
    account = record(lambda: made(network=one)).one("StorageAccount")
    rules = account.inputs["networkRuleSet"]["virtualNetworkRules"]
    assert rules == [{"action": "Allow", "virtualNetworkResourceId": "subnet"}]


def test_deleted_shares_can_be_gone_at_once():
    service = record(lambda: made(deleted_share_days=0)).one("FileServiceProperties")
    assert service.inputs["shareDeleteRetentionPolicy"] == {"enabled": False}


def test_a_netapp_volume_is_ordered_as_described(netapp):
    pool = netapp.one("azure-native:netapp:CapacityPool", "home-pool")
    assert pool.inputs["size"] == 3 * 2**40
    assert pool.inputs["serviceLevel"] == "Premium"
    volume = netapp.one("azure-native:netapp:CapacityPoolVolume", "home-volume")
    assert pool.urn in volume.depends_on
    expected = {
        "accountName": UNKNOWN,
        "creationToken": "home",
        "dataProtection": {"snapshot": {"snapshotPolicyId": UNKNOWN}},
        "location": "eastus",
        "networkFeatures": "Standard",
        "poolName": "pool",
        "protocolTypes": ["NFSv3"],
        "resourceGroupName": "cfd",
        "securityStyle": "unix",
        "serviceLevel": "Premium",
        "subnetId": NETWORK.subnets["netapp"],
        "tags": {"ClusterName": "cfd", "Name": "home-volume", "Project": "wing"},
        "unixPermissions": "0755",
        "usageThreshold": 2560 * 2**30,
        "volumeName": "data",
    }
    assert {key: volume.inputs[key] for key in expected} == expected
    (export,) = volume.inputs["exportPolicy"]["rules"]
    who = {"allowedClients": "10.20.0.0/16", "hasRootAccess": True, "chownMode": "Restricted", "ruleIndex": 1}
    how = {"nfsv3": True, "nfsv41": False, "cifs": False, "unixReadOnly": False, "unixReadWrite": True}
    assert {key: export[key] for key in (who | how)} == who | how
    policy = netapp.one("SnapshotPolicy").inputs
    assert policy["enabled"] is True
    assert policy["dailySchedule"] == {"hour": 2, "minute": 0, "snapshotsToKeep": 7}


def test_netapp_may_be_without_snapshots_at_another_level():
    recording = record(lambda: made(**NETAPP, snapshot_days=0, level="ultra"))
    assert not recording.all("SnapshotPolicy")
    assert "dataProtection" not in recording.one("CapacityPoolVolume").inputs
    assert recording.one("CapacityPool").inputs["serviceLevel"] == "Ultra"


@pytest.mark.parametrize("kind", ["files", "netapp"])
def test_a_home_is_kept_with_its_data(kind, request):
    recording = request.getfixturevalue(kind)
    settings = {"FileServiceProperties"}
    for each in recording.resources:
        if each.custom and each.type.rpartition(":")[2] not in settings:
            assert (each.protect, each.retain) == (True, True), each.urn
    thrown = record(lambda: made(kind=kind, capacity_gib=1024, retain=False))
    assert not [each.urn for each in thrown.resources if each.protect or each.retain]


def test_the_users_word_goes_first():
    options = pulumi.ResourceOptions(protect=False)
    share = record(lambda: HomeFilesystem("home", args(), options)).one("FileShare")
    assert (share.protect, share.retain) == (False, True)


def test_what_belongs_to_the_account_goes_with_it(files):
    account = files.one("StorageAccount").urn
    assert files.one("FileShare").deleted_with == account
    assert files.one("FileServiceProperties").deleted_with == account


def test_the_mount_says_server_and_options():
    share = record(made, preview=False).outputs["mount"]
    account = share["server"].removesuffix(".file.core.windows.net")
    assert account != share["server"]
    assert share["export"].startswith(f"/{account}/")
    assert (share["name"], share["type"], share["mount"]) == ("home", "nfs", "/home")
    assert {"nfsvers=4.1", "nconnect=4", "hard", "_netdev"} <= {*share["options"].split(",")}

    volume = record(lambda: made(**NETAPP), preview=False).outputs["mount"]
    assert volume["export"] == "/home"
    assert IPv4Address(volume["server"])
    assert {"nfsvers=3", "nconnect=8", "rsize=262144", "hard", "_netdev"} <= {*volume["options"].split(",")}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "blob"}, "kind: 'blob' is unknown; use files or netapp"),
        ({"capacity_gib": 99}, "capacity_gib = 99: Azure Files offers sizes from 100 GiB to 100 TiB; use 100"),
        ({"kind": "netapp", "capacity_gib": 49}, "capacity_gib = 49: NetApp Files offers sizes from 50 GiB to "),
        (
            {"level": "premium"},
            "level = 'premium': Azure Files has no service levels: the throughput depends only on the size",
        ),
        ({"level": "premium"}, "; leave it out; or use kind='netapp'"),
        (
            {**NETAPP, "level": "fast"},
            "level = 'fast': NetApp Files has no such service level; use standard, premium or",
        ),
        (
            {"deleted_share_days": 366},
            "deleted_share_days = 366: Azure Files accepts only a whole number of days from 1 to 365; use 365",
        ),
        ({"snapshot_days": 7}, "snapshot_days = 7: Azure takes no daily snapshots of NFS shares, so"),
        (
            {"snapshot_days": 7},
            "; deleted_share_days protects only against deletion of the whole share; or use kind='netapp'",
        ),
        (
            {**NETAPP, "deleted_share_days": 7},
            "deleted_share_days = 7: NetApp Files can't restore deleted volumes; leave it out; use snapshot_days",
        ),
        (
            {**NETAPP, "snapshot_days": 256},
            "snapshot_days = 256: NetApp Files accepts only a whole number of days from 1 to 255",
        ),
        (
            {**NETAPP, "network": Network(id="vnet", cidr="10.0.0.0/16", subnets={"nodes": "s"})},
            "network.subnets.netapp: the network has no subnet for NetApp Files; add network.subnets.netapp, a"
            " subnet of at least /28, delegated to Microsoft.NetApp/volumes",
        ),
    ],
)
def test_arguments_that_azure_refuses_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^HomeFilesystemArgs\.") as error:
        args(**change)
    assert message in str(error.value)
