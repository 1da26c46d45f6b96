from typing import Any

import pytest

from clouds.azure.sample import GROUP, NETWORK, TAGS, VNET
from hpc_components.azure import from_spec as to
from hpc_components.azure.cluster import Cluster
from hpc_components.azure.lustre.component import LustreFilesystem
from hpc_components.azure.network.security_groups import SecurityGroups
from hpc_components.azure.spec import AzureClusterSpec
from hpc_components.preview.record import record

OTHER = "/subscriptions/66666666-7777-8888-9999-000000000000"
USUAL: dict[str, Any] = {
    "name": "cfd",
    "cloud": "azure",
    "region": "eastus",
    "zone": "eastus-1",
    "network": {"cidr": "10.20.0.0/16"},
    "head_node": {"machine": "Standard_D4s_v5"},
    "queues": [{"name": "hb", "machine": "Standard_HB176rs_v4", "max": 4}],
}
SCRATCH: dict[str, Any] = {"type": "lustre", "mount": "/scratch", "size": "16TiB"}
HOME: dict[str, Any] = {"type": "nfs", "mount": "/home", "size": "1TiB"}
LINK: dict[str, Any] = {
    "bucket": "https://wingdata.blob.core.windows.net/runs",
    "log_bucket": "https://wingdata.blob.core.windows.net/log",
}
EXISTING: dict[str, Any] = {
    "existing": {
        "vnet": VNET,
        "cidr": "10.20.0.0/16",
        "private": {"eastus": {"id": f"{VNET}/subnets/batch", "cidr": "10.20.128.0/17"}},
        "lustre": {"id": f"{VNET}/subnets/fs", "cidr": "10.20.64.0/18"},
    }
}


def cluster(**change: Any) -> AzureClusterSpec:
    return AzureClusterSpec.model_validate({**USUAL, **change})


def test_a_described_network_becomes_arguments():
    args = to.vpc_args(cluster(), GROUP, TAGS)
    assert (args.cidr, args.nat, args.bastion, args.endpoints, args.storage) == ("10.20.0.0/16", "one", False, (), ())
    assert (args.ssh_from, args.ssh_to) == ((), ())

    described = {
        **USUAL["network"],
        "nat": "none",
        "bastion": True,
        "endpoints": ["vault"],
        "ssh_from": ["1.2.3.0/24"],
    }
    args = to.vpc_args(cluster(network=described), GROUP, TAGS)
    assert (args.nat, args.bastion, args.endpoints, args.ssh_from) == ("none", True, ("vault",), ("1.2.3.0/24",))


@pytest.mark.parametrize(
    ("change", "places"),
    [
        ({}, ()),
        ({"head_node": {"machine": "Standard_D4s_v5", "public": True}}, ("head",)),
        ({"login_nodes": {"machine": "Standard_D4s_v5"}}, ()),
        ({"login_nodes": {"machine": "Standard_D4s_v5", "public": True}}, ("login",)),
    ],
)
def test_users_reach_by_ssh_what_is_public(change, places):
    assert to.ssh_places(cluster(**change)) == places


def test_login_nodes_that_are_described_have_a_subnet():
    assert not to.vpc_args(cluster(), GROUP, TAGS).login_nodes
    described = cluster(login_nodes={"machine": "Standard_D4s_v5"})
    assert "login" in to.vpc_args(described, GROUP, TAGS).places


def test_file_systems_that_are_made_need_a_subnet():
    existing = {"server": "10.1.2.3", "export": "/home"}
    storage = {
        "scratch": SCRATCH,
        "home": {**HOME, "service": "netapp"},
        "old": {"type": "lustre", "mount": "/old", "existing": {"server": "10.1.2.4"}},
        "archive": {"type": "nfs", "service": "netapp", "mount": "/archive", "existing": existing},
    }
    assert to.storage_places(cluster(storage=storage)) == ("lustre", "netapp")
    assert to.storage_places(cluster(storage={"old": storage["old"], "home": HOME})) == ()
    assert to.vpc_args(cluster(storage=storage), GROUP, TAGS).retained == ("lustre", "netapp")
    assert to.vpc_args(cluster(storage=storage, throw_away=True), GROUP, TAGS).retained == ()


def test_an_existing_network_gets_groups_for_nodes_only():
    described = cluster(network=EXISTING)
    existing = described.network.existing
    assert existing is not None
    args = to.security_groups_args(described, existing, GROUP, TAGS)
    assert args.ranges == {
        "head": "10.20.128.0/17",
        "login": "10.20.128.0/17",
        "nodes": "10.20.128.0/17",
        "lustre": "10.20.64.0/18",
    }
    recording = record(lambda: SecurityGroups("cfd", args))
    groups = {each.name: each.inputs["securityRules"] for each in recording.all("NetworkSecurityGroup")}
    assert {*groups} == {"cfd-head-nsg", "cfd-login-nsg", "cfd-nodes-nsg"}
    assert "lustre-from-servers" in {rule["name"] for rule in groups["cfd-nodes-nsg"]}

    network = to.existing_network(existing, {"nodes": "nsg"}, {"blob": "zone"})
    batch = f"{VNET}/subnets/batch"
    assert network.subnets == {
        "head": batch, "login": batch, "endpoints": batch, "nodes": batch, "lustre": f"{VNET}/subnets/fs"
    }  # fmt: skip
    assert (network.id, network.cidr, network.security_groups) == (VNET, "10.20.0.0/16", {"nodes": "nsg"})
    assert network.private_zones == {"blob": "zone"}


def test_an_existing_network_can_have_private_endpoints():
    """With existing DNS zones, and with new zones for the other services."""
    zone = f"{VNET.partition('/providers/')[0]}/providers/Microsoft.Network/privateDnsZones"
    theirs = f"{zone}/privatelink.blob.core.windows.net"
    existing = {**EXISTING["existing"], "security_groups": False, "dns_zones": {"blob": theirs}}
    described = cluster(network={"existing": existing, "endpoints": ["blob", "vault"]})
    made: list[Cluster] = []
    recording = record(lambda: made.append(Cluster("cfd", described)))
    assert recording.one("PrivateZone").inputs["privateZoneName"] == "privatelink.vaultcore.azure.net"
    assert recording.one("VirtualNetworkLink").inputs["virtualNetwork"] == {"id": VNET}
    assert recording.one("PrivateZones").inputs == {"services": ["vault"]}
    assert made[0].network.private_zones["blob"] == theirs
    endpoints = {each.name: each.inputs["subnet"]["id"] for each in recording.all("PrivateEndpoint")}
    batch = f"{VNET}/subnets/batch"
    assert endpoints == {"cfd-config-blob-endpoint": batch, "cfd-vault-vault-endpoint": batch}
    named = {each.name: each for each in recording.all("PrivateDnsZoneGroup")}
    assert named["cfd-config-blob-endpoint-name"].inputs["privateDnsZoneConfigs"][0]["privateDnsZoneId"] == theirs
    zone_of_vault = named["cfd-vault-vault-endpoint-name"].property_dependencies["privateDnsZoneConfigs"]
    assert zone_of_vault == (recording.one("PrivateZone").urn,)


def test_without_endpoints_no_private_zone_is_made():
    made = record(lambda: Cluster("cfd", cluster(network=EXISTING)))
    assert not made.all("PrivateZone")


def lustre(**change: Any):
    described = cluster(storage={"scratch": {**SCRATCH, **change}})
    return to.lustre_args(described, described.storage["scratch"], NETWORK, GROUP, TAGS)


def test_a_described_lustre_becomes_arguments():
    args = lustre()
    assert (args.mount, args.capacity_tib, args.throughput, args.zone) == ("/scratch", 16, 250, "eastus-1")
    assert (args.maintenance, args.link, args.encryption, args.trusted) == ("Sunday 03:00", None, None, ())
    assert (args.subnet_id, args.retain) == (NETWORK.subnets["lustre"], True)
    assert lustre(zone="eastus-2", throughput=125).zone == "eastus-2"


def test_the_head_node_is_trusted_where_others_are_not():
    assert lustre(root_squash="root_only").trusted == ("10.20.0.20",)


@pytest.mark.parametrize(
    ("change", "group"),
    [({}, GROUP.id), ({"resource_group": f"{OTHER}/resourceGroups/data"}, f"{OTHER}/resourceGroups/data")],
    ids=["the clusters", "another"],
)
def test_a_links_account_is_found_by_its_resource_group(change, group):
    described = {"link": {**LINK, **change}, "principal": "99999999-8888-7777-6666-555555555555"}
    recording = record(lambda: LustreFilesystem("scratch", lustre(**described)))
    account = f"{group}/providers/Microsoft.Storage/storageAccounts/wingdata"
    assert {each.inputs["scope"] for each in recording.all("RoleAssignment")} == {account}
    settings = recording.one("AmlFilesystem").inputs["hsm"]["settings"]
    assert settings["container"] == f"{account}/blobServices/default/containers/runs"


def test_a_link_as_described_by_default_is_one_that_azure_takes():
    """Azure refuses a link that both imports and exports automatically."""
    jobs = record(lambda: LustreFilesystem("scratch", lustre(link=LINK)))
    assert jobs.all("AutoExportJob")
    assert not jobs.all("AutoImportJob")


def test_an_own_encryption_key_becomes_arguments():
    key = "https://keys.vault.azure.net/keys/lustre/0123456789abcdef0123456789abcdef"
    args = lustre(encryption_key=key, encryption_vault="vault", encryption_identity="who").encryption
    assert args is not None
    assert (args.key_url, args.vault_id, args.identity_id) == (key, "vault", "who")


def test_described_homes_become_arguments_of_both_services():
    described = cluster(
        storage={
            "home": HOME,
            "sw": {**HOME, "mount": "/sw", "service": "netapp", "level": "ultra", "snapshots": None},
        },
        throw_away=True,
    )
    home = to.home_args(described, described.storage["home"], NETWORK, GROUP, TAGS)
    assert (home.mount, home.kind, home.capacity_gib, home.level) == ("/home", "files", 1024, None)
    assert (home.snapshot_days, home.deleted_share_days) == (None, 7)
    assert home.retain is False
    software = to.home_args(described, described.storage["sw"], NETWORK, GROUP, TAGS)
    assert (software.kind, software.level) == ("netapp", "ultra")
    assert (software.snapshot_days, software.deleted_share_days) == (0, None)


@pytest.mark.parametrize(
    ("storage", "expected"),
    [
        ({"type": "lustre", "existing": {"server": "10.1.2.4"}}, ("lustre", "10.1.2.4", "lustrefs", "flock")),
        (
            {"type": "nfs", "existing": {"server": "10.1.2.3", "export": "/h"}},
            ("nfs", "10.1.2.3", "/h", "nfsvers=4.1"),
        ),
        (
            {"type": "nfs", "service": "netapp", "existing": {"server": "10.1.2.3", "export": "/h"}},
            ("nfs", "10.1.2.3", "/h", "nfsvers=3"),
        ),
    ],
)
def test_what_is_there_already_is_mounted(storage, expected):
    described = cluster(storage={"it": {**storage, "mount": "/it"}})
    mount = to.existing_mount("it", described.storage["it"])
    assert (mount.name, mount.mount) == ("it", "/it")
    assert (mount.type, mount.server, mount.export) == expected[:3]
    assert expected[3] in mount.options.split(",")


def test_a_described_bucket_becomes_arguments():
    bucket = {"type": "blob", "archive": {"cool": "30d", "archive": "180d"}, "expire": "3650d"}
    described = cluster(buckets={"results": bucket})
    args = to.bucket_args(described, described.buckets["results"], NETWORK, GROUP, TAGS)
    assert (dict(args.archive), args.expire_days, args.versioning) == ({"cool": 30, "archive": 180}, 3650, True)
    assert (args.account_name, args.network, args.retain) == (None, NETWORK, True)
