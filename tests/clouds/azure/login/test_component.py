from typing import Any

import pulumi
import pytest

from clouds.azure.modes import checked_preview
from clouds.azure.nodes_sample import SERVICE_TAGS, SERVICES, THEIRS, WHO
from clouds.azure.sample import GROUP, NETWORK, TAGS
from hpc_components.azure.disks.component import RootDisk
from hpc_components.azure.images.component import ImagePlan
from hpc_components.azure.login.component import LoginNodeNLB, LoginNodeNLBArgs
from hpc_components.azure.ports import Network
from hpc_components.boot import user_data
from hpc_components.preview.record import Recording, record

SET, BALANCER = "azure-native:compute:VirtualMachineScaleSet", "azure-native:network:LoadBalancer"


def args(**change: Any) -> LoginNodeNLBArgs:
    usual: dict[str, Any] = {
        "group": GROUP,
        "machine": "Standard_D4s_v5",
        "image": "Canonical:ubuntu-24_04-lts:server:24.04.202607140",
        "user_data": user_data("azure"),
        "min": 2,
        "max": 4,
        "network": NETWORK,
        "zones": ("eastus-1", "eastus-2"),
        "identities": WHO,
        "services": SERVICES,
        "root": RootDisk(size_gib=64),
        "tags": TAGS,
    }
    return LoginNodeNLBArgs(**{**usual, **change})


def make(**change: Any) -> None:
    pulumi.export("address", LoginNodeNLB("login", args(**change)).address)


def recorded(**change: Any) -> Recording:
    return record(lambda: make(**change))


@pytest.fixture(scope="module")
def usual() -> Recording:
    return checked_preview(make)


@pytest.fixture(scope="module")
def public() -> Recording:
    return checked_preview(lambda: make(public=True))


def test_login_nodes_are_made_of_these_resources(public):
    assert {(each.type.rpartition(":")[2], each.name) for each in public.resources} == {
        ("LoginNodeNLB", "login"),
        ("RoleAssignment", "login-reads-config"),
        ("RoleAssignment", "login-reads-munge"),
        ("RoleAssignment", "login-sets-ssh-host"),
        ("RoleAssignment", "login-writes-logs"),
        ("PublicIPAddress", "login-address"),
        ("LoadBalancer", "login-nlb"),
        ("VirtualMachineScaleSet", "login"),
        ("AutoscaleSetting", "login-grow"),
    }
    for each in public.resources:
        if each.custom and not each.type.endswith("RoleAssignment"):
            assert each.inputs["tags"]["ClusterName"] == "cfd", each.name


def test_inside_the_network_unless_said_otherwise(usual, public):
    (inside,) = usual.one(BALANCER).inputs["frontendIPConfigurations"]
    assert inside["subnet"]["id"] == NETWORK.subnets["login"]
    assert "publicIPAddress" not in inside
    (outside,) = public.one(BALANCER).inputs["frontendIPConfigurations"]
    assert "subnet" not in outside
    address = public.one("PublicIPAddress")
    assert address.urn in public.one(BALANCER).property_dependencies["frontendIPConfigurations"]
    assert address.inputs["sku"] == {"name": "Standard"}
    for recording in (usual, public):
        (interface,) = network_of(recording)["networkInterfaceConfigurations"]
        assert "publicIPAddressConfiguration" not in interface["ipConfigurations"][0]


def network_of(recording: Recording) -> dict[str, Any]:
    return recording.one(SET).inputs["virtualMachineProfile"]["networkProfile"]


def test_a_user_comes_back_to_the_same_node(usual):
    inputs = usual.one(BALANCER).inputs
    (rule,) = inputs["loadBalancingRules"]
    assert (rule["frontendPort"], rule["backendPort"], rule["protocol"]) == (22, 22, "Tcp")
    assert (rule["loadDistribution"], rule["idleTimeoutInMinutes"], rule["enableTcpReset"]) == ("SourceIP", 30, True)
    assert rule["disableOutboundSnat"] is True, "the way out is the NAT gateway's"
    (probe,) = inputs["probes"]
    assert (probe["protocol"], probe["port"]) == ("Tcp", 22)
    assert inputs["sku"] == {"name": "Standard"}


def test_the_parts_of_the_load_balancer_find_one_another(usual):
    inputs = usual.one(BALANCER).inputs
    (rule,) = inputs["loadBalancingRules"]
    for reference, kind in (
        ("frontendIPConfiguration", "frontendIPConfigurations"),
        ("backendAddressPool", "backendAddressPools"),
        ("probe", "probes"),
    ):
        assert rule[reference]["id"] == f"$self/{kind}/{inputs[kind][0]['name']}"
    update = record(make, preview=False)
    (interface,) = network_of(update)["networkInterfaceConfigurations"]
    (pool,) = interface["ipConfigurations"][0]["loadBalancerBackendAddressPools"]
    assert pool["id"].endswith(f"/backendAddressPools/{inputs['backendAddressPools'][0]['name']}")


def test_nodes_are_spread_over_zones(usual):
    inputs = usual.one(SET).inputs
    assert (inputs["zones"], inputs["platformFaultDomainCount"]) == (["1", "2"], 1)
    assert (inputs["orchestrationMode"], inputs["overprovision"]) == ("Uniform", False)
    nowhere = recorded(zones=("eastus",)).one(SET).inputs
    assert not {"zones", "platformFaultDomainCount"} & set(nowhere), "then Azure's own spread"


def test_nodes_know_what_they_are(usual):
    assert usual.one(SET).inputs["tags"] == {**SERVICE_TAGS, "Name": "login", "hpc:role": "login"}


def test_a_new_image_shows_but_ends_no_session(usual):
    made = usual.one(SET)
    assert made.inputs["upgradePolicy"] == {"mode": "Manual"}
    assert "storageProfile" not in "".join(made.replace_on_changes)
    assert made.inputs["sku"]["capacity"] == 2


def test_an_image_can_have_a_purchase_plan(usual):
    plan = {"publisher": "center-for-internet-security-inc", "product": "cis-ubuntu", "name": "cis-l1"}
    image = f"{plan['publisher']}:cis-ubuntu:cis-l1:1.0.1"
    made = record(lambda: make(image=image, image_plan=ImagePlan(**plan))).one(SET)
    assert made.inputs["plan"] == plan
    assert "plan" in made.replace_on_changes, "Azure does not change it"
    assert "plan" not in usual.one(SET).inputs


def test_it_grows_when_busy_and_takes_nothing_away(usual):
    setting = usual.one("AutoscaleSetting").inputs
    (profile,) = setting["profiles"]
    assert profile["capacity"] == {"minimum": "2", "maximum": "4", "default": "2"}
    (rule,) = profile["rules"]
    assert (rule["scaleAction"]["direction"], rule["scaleAction"]["value"]) == ("Increase", "1")
    trigger = rule["metricTrigger"]
    assert (trigger["metricName"], trigger["operator"], trigger["threshold"]) == ("Percentage CPU", "GreaterThan", 70)
    assert usual.one(SET).ignore_changes == ("sku.capacity",), "an update does not take back what was added"


def test_without_growth_their_number_is_ours():
    fixed = recorded(min=2, max=2)
    assert not fixed.all("AutoscaleSetting")
    assert fixed.one(SET).ignore_changes == ()


def test_rights_come_before_the_first_node(usual):
    rights = {each.urn for each in usual.all("RoleAssignment")}
    assert rights <= set(usual.one(SET).depends_on)
    assert not recorded(identities=THEIRS).all("RoleAssignment")


def test_the_outputs_have_the_address_of_users():
    assert record(lambda: make(public=True), preview=False).outputs["address"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"machine": "Standard_D4_v55"}, "machine: 'Standard_D4_v55' is not an Azure VM size"),
        ({"image": "ubuntu"}, "image: 'ubuntu' is not a valid image"),
        ({"min": 0}, "max: max=4 and min=0 are not a valid range;"),
        ({"min": 5}, "max: max=4 and min=5 are not a valid range;"),
        ({"zones": ()}, "zones: () is empty"),
        ({"zones": ("eastus-1", "eastus-1")}, "is empty or contains a duplicate; list each zone once"),
        (
            {"zones": ("eastus-1", "eastus")},
            "zones: the region eastus means that nodes have no zone, so it can't be combined with",
        ),
        ({"zones": ("eastus-7",)}, "zones[0]: "),
        (
            {"network": Network(id="v", cidr="10.0.0.0/16", subnets={"nodes": "n"})},
            "no subnet 'login' (its subnets: nodes",
        ),
        ({"root": RootDisk(size_gib=0)}, "root.size_gib"),
        ({"ssh_key": "nonsense"}, "ssh_key: this is not a public SSH key"),
    ],
)
def test_arguments_that_azure_refuses_are_refused(change, message):
    with pytest.raises(ValueError, match=r"^LoginNodeNLBArgs\.") as error:
        args(**change)
    assert message in str(error.value)
