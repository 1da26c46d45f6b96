from typing import Any

import pulumi
import pytest

from clouds.azure.modes import checked_preview
from clouds.azure.sample import GROUP, TAGS
from hpc_components.azure.network.component import Vpc, VpcArgs
from hpc_components.preview.record import UNKNOWN, RecordedResource, Recording, record

ARGS: dict[str, Any] = {"group": GROUP, "cidr": "10.20.0.0/16", "tags": TAGS}
ALL: dict[str, Any] = {
    "bastion": True,
    "endpoints": ("blob", "file", "vault"),
    "login_nodes": True,
    "storage": ("lustre", "netapp"),
    "ssh_from": ("203.0.113.0/24",),
    "ssh_to": ("login",),
}


def make_vpc(**change) -> None:
    vpc = Vpc("cfd", VpcArgs(**{**ARGS, **change}))
    network = vpc.network
    pulumi.export("subnets", dict(network.subnets))
    pulumi.export("groups", dict(network.security_groups))
    pulumi.export("zones", dict(network.private_zones))
    pulumi.export("nat", vpc.nat_address)


@pytest.fixture(scope="module")
def plain() -> Recording:
    return checked_preview(lambda: make_vpc(nat="none"))


@pytest.fixture(scope="module")
def full() -> Recording:
    return checked_preview(lambda: make_vpc(**ALL, retain=True))


def subnets(recording: Recording) -> dict[str, RecordedResource]:
    return {each.name.removeprefix("cfd-"): each for each in recording.all("azure-native:network:Subnet")}


def source_of(recording: Recording, resource: RecordedResource, key: str) -> list[str]:
    return [recording.of(urn).name for urn in resource.property_dependencies.get(key, ())]


def test_each_subnet_has_its_range_and_name(full):
    found = {each.inputs["subnetName"]: each.inputs["addressPrefix"] for each in subnets(full).values()}
    assert found == {
        "head": "10.20.0.0/20",
        "login": "10.20.16.0/20",
        "netapp": "10.20.32.0/20",
        "endpoints": "10.20.48.0/21",
        "AzureBastionSubnet": "10.20.56.0/21",
        "lustre": "10.20.64.0/18",
        "nodes": "10.20.128.0/17",
    }
    assert full.one("VirtualNetwork").inputs["addressSpace"] == {"addressPrefixes": ["10.20.0.0/16"]}
    assert "subnets" not in full.one("VirtualNetwork").inputs, "inline and standalone subnets undo one another"


def test_only_the_subnets_needed_are_made(plain):
    assert {*subnets(plain)} == {"head", "nodes"}
    assert {*plain.outputs["subnets"]} == {"head", "nodes"}
    assert {each.name for each in plain.all("NetworkSecurityGroup")} == {"cfd-head-nsg", "cfd-nodes-nsg"}


def test_login_nodes_and_private_endpoints_have_a_subnet_where_there_are_any():
    assert {*subnets(record(lambda: make_vpc(login_nodes=True)))} == {"head", "login", "nodes"}
    assert {*subnets(record(lambda: make_vpc(endpoints=("vault",))))} == {"head", "nodes", "endpoints"}


def test_what_is_added_later_moves_nothing(plain, full):
    before, after = subnets(plain), subnets(full)
    for place, subnet in before.items():
        assert {k: v for k, v in after[place].inputs.items() if k != "natGateway"} == subnet.inputs


def test_subnets_are_made_and_deleted_one_after_the_other(full):
    """Also for any two deleted subnets: Pulumi's engine considers only direct dependencies."""
    chain = {place: {u for u in each.depends_on if ":Subnet::" in u} for place, each in subnets(full).items()}
    order = ["head", "login", "nodes", "lustre", "netapp", "endpoints", "bastion"]
    urns = [subnets(full)[place].urn for place in order]
    assert chain == {place: set(urns[:index]) for index, place in enumerate(order)}


def test_nobody_has_a_way_out_by_default(full, plain):
    for recording in (full, plain):
        assert {each.inputs["defaultOutboundAccess"] for each in subnets(recording).values()} == {False}
    assert not plain.all("NatGateway")
    assert "nat" not in plain.outputs
    assert not any("natGateway" in each.inputs for each in subnets(plain).values())


def test_nodes_and_lustre_leave_by_the_nat_gateway(full):
    by_nat = {place for place, each in subnets(full).items() if "natGateway" in each.inputs}
    assert by_nat == {"head", "login", "nodes", "lustre"}
    nat = full.one("NatGateway")
    assert nat.inputs["sku"] == {"name": "Standard"}
    assert source_of(full, nat, "publicIpAddresses") == ["cfd-nat-address"]
    for address in full.all("PublicIPAddress"):
        assert address.inputs["publicIPAllocationMethod"] == "Static"
        assert address.inputs["sku"] == {"name": "Standard"}
    assert full.outputs["nat"] == UNKNOWN


def test_every_subnet_but_bastions_has_its_security_group(full):
    guards = {place: source_of(full, each, "networkSecurityGroup") for place, each in subnets(full).items()}
    assert guards == {
        place: [] if place == "bastion" else [f"cfd-{place}-nsg"]
        for place in ("head", "login", "nodes", "lustre", "netapp", "endpoints", "bastion")
    }
    assert full.outputs["groups"] == {}, "interfaces need none: their subnets have them"


def test_security_groups_know_the_plan(full, plain):
    def names(recording: Recording, place: str) -> set[str]:
        group = recording.one("NetworkSecurityGroup", f"cfd-{place}-nsg")
        return {rule["name"] for rule in group.inputs["securityRules"]}

    assert {"ssh-from-users", "ssh-from-bastion", "lustre-from-servers"} <= names(full, "login")
    assert "ssh-from-users" not in names(full, "head")
    assert not {"ssh-from-bastion", "lustre-from-servers"} & names(plain, "head")


def test_storage_is_reached_past_the_nat_gateway(plain):
    served = {place for place, each in subnets(plain).items() if "serviceEndpoints" in each.inputs}
    assert served == {"head", "nodes"}
    assert subnets(plain)["nodes"].inputs["serviceEndpoints"] == [{"service": "Microsoft.Storage"}]


def test_netapps_subnet_is_delegated_and_no_other(full):
    delegated = {
        place: each.inputs["delegations"] for place, each in subnets(full).items() if "delegations" in each.inputs
    }
    assert delegated == {"netapp": [{"name": "netapp", "serviceName": "Microsoft.NetApp/volumes"}]}


def test_security_groups_hold_for_private_endpoints(full):
    policies = {place: each.inputs["privateEndpointNetworkPolicies"] for place, each in subnets(full).items()}
    assert policies.pop("endpoints") == "NetworkSecurityGroupEnabled"
    assert {*policies.values()} == {"Disabled"}


def test_private_zones_are_linked_to_the_network(full, plain):
    zones = {each.name: each.inputs["privateZoneName"] for each in full.all("PrivateZone")}
    assert zones == {
        "cfd-blob-zone": "privatelink.blob.core.windows.net",
        "cfd-file-zone": "privatelink.file.core.windows.net",
        "cfd-vault-zone": "privatelink.vaultcore.azure.net",
    }
    for link in full.all("VirtualNetworkLink"):
        assert source_of(full, link, "virtualNetwork") == ["cfd-vnet"]
        assert source_of(full, link, "privateZoneName") == [link.name.replace("-link", "-zone")]
        assert link.inputs["registrationEnabled"] is False
    assert {*full.outputs["zones"]} == {"blob", "file", "vault"}
    assert not plain.all("PrivateZone")


def test_bastion_is_the_kind_that_clients_can_tunnel_through(full, plain):
    bastion = full.one("BastionHost")
    assert bastion.inputs["sku"] == {"name": "Standard"}
    assert bastion.inputs["enableTunneling"] is True
    assert bastion.inputs["enableIpConnect"] is True
    assert source_of(full, bastion, "ipConfigurations") == ["cfd-bastion-address", "cfd-bastion"]
    assert not plain.all("BastionHost")


def test_the_ground_under_retained_file_systems_stays(full):
    kept = {each.name for each in full.resources if each.retain}
    assert kept == {
        *("cfd-vnet", "cfd-lustre", "cfd-netapp", "cfd-lustre-nsg", "cfd-netapp-nsg"),
        *("cfd-nat", "cfd-nat-address"),  # the gateway of a retained subnet can't be deleted
    }


def test_nothing_stays_without_file_systems():
    assert not [each.name for each in record(lambda: make_vpc(retain=True)).resources if each.retain]


def test_netapp_keeps_no_gateway():
    recording = record(lambda: make_vpc(retain=True, storage=("netapp",)))
    assert {each.name for each in recording.resources if each.retain} == {"cfd-vnet", "cfd-netapp", "cfd-netapp-nsg"}


def test_everything_that_can_be_tagged_is(full):
    for each in full.resources:
        if each.custom and each.type.rpartition(":")[2] != "Subnet":
            assert each.inputs["tags"]["ClusterName"] == "cfd", each.urn
            assert each.inputs["tags"]["Name"].startswith("cfd-"), each.urn
            assert each.inputs["resourceGroupName"] == "cfd"
            assert each.inputs["location"] in ("eastus", "global")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cidr": "10.20.0.0/25"}, r"cidr: 10.20.0.0/25 can't be divided"),
        (
            {"cidr": "10.20.0.0/24", "storage": ("lustre",), "bastion": True},
            r"cidr: 10.20.0.0/24 has room for only one of lustre, bastion; use a /23",
        ),
        ({"cidr": "ten"}, r"cidr: 'ten' is not an address range"),
        ({"nat": "per_zone"}, r"nat: 'per_zone' is unknown; the value must be one or none"),
        ({"endpoints": ("blob", "blob")}, r"endpoints\[1\]: 'blob' is a duplicate"),
        (
            {"endpoints": ("queue",)},
            r"endpoints\[0\]: 'queue' is unknown; use one of: blob, vault, file",
        ),
        (
            {"storage": ("files",)},
            r"storage\[0\]: 'files' is unknown; use one of: lustre, netapp",
        ),
        ({"ssh_from": ("203.0.113.7/24",)}, r"ssh_from\[0\]: '203.0.113.7/24'"),
        ({"ssh_to": ("head", "login")}, r"ssh_to\[1\]: there is no subnet for login nodes; set login_nodes=True"),
        ({"ssh_to": ("nodes",)}, r"ssh_to\[0\]: 'nodes' does not accept SSH from outside"),
    ],
)
def test_wrong_arguments_are_named(change, message):
    with pytest.raises(ValueError, match=rf"^VpcArgs\.{message}"):
        VpcArgs(**{**ARGS, **change})
