"""Fleets in availability sets, and the templates that create their machines."""

import base64
from typing import Any

import pulumi
import pytest

from clouds.azure.fleet.test_component import ARGS, HB, PLAIN, fleet_args
from clouds.azure.modes import checked_preview
from clouds.azure.nodes_sample import IDENTITIES, NODES_GROUP, WHO_LENDS
from clouds.azure.sample import GROUP, NETWORK
from hpc_components.azure.disks.component import RootDisk
from hpc_components.azure.fleet.component import InfinibandComputeFleet
from hpc_components.azure.images.component import ImagePlan
from hpc_components.azure.plan.fleets import fleets_of
from hpc_components.azure.plan.machines import Disk, machine_uses
from hpc_components.azure.ports import FleetRef, Network
from hpc_components.ports import Tags
from hpc_components.preview.plan import make_plan
from hpc_components.preview.record import Recording, record

SET = "azure-native:compute:AvailabilitySet"
VERSION = "azure-native:resources:TemplateSpecVersion"
NAMED: dict[str, Any] = {"availability_set": True, "zones": ("eastus",)}


def fleet(**change: Any) -> tuple[Recording, FleetRef]:
    made = []

    def program() -> None:
        one = InfinibandComputeFleet("cfd-compute-queue", fleet_args(**NAMED, **change)).fleet
        made.append(one)
        pulumi.export("sets", dict(one.availability_sets))

    return record(program, preview=False), made[0]


@pytest.fixture(scope="module")
def planned() -> Recording:
    return checked_preview(lambda: InfinibandComputeFleet("cfd-compute-queue", fleet_args(**NAMED)))


def template(**change: Any) -> dict[str, Any]:
    return fleet(**change)[0].one(VERSION).inputs["mainTemplate"]


def machine(**change: Any) -> dict[str, Any]:
    (made,) = template(**change)["resources"]
    return made


def test_there_is_no_scale_set(planned):
    assert not planned.all("VirtualMachineScaleSet")
    made = planned.one(SET)
    assert (made.inputs["platformFaultDomainCount"], made.inputs["sku"]) == (1, {"name": "Aligned"})
    assert made.inputs["resourceGroupName"] == "cfd-nodes"
    assert made.name == "cfd-compute-queue-hb176rs-v4-r"


def test_all_stay_as_long_as_there_are_machines_and_go_with_their_group(planned):
    every = [planned.one(SET), planned.one("TemplateSpec"), planned.one(VERSION)]
    assert all(each.retain for each in every)
    assert all("RoleAssignment" in urn for each in every for urn in each.depends_on[:4])


def test_the_daemon_finds_the_template_by_a_tag():
    recording, made = fleet()
    tags = recording.one(SET).inputs["tags"]
    assert tags["hpc:template"]
    assert recording.one(SET).property_dependencies["tags"] == (recording.one(VERSION).urn,)
    assert {key: tags[key] for key in ("hpc:queue", "hpc:machine", "hpc:zone", "hpc:purchase", "hpc:role")} == {
        "hpc:queue": "compute-queue",
        "hpc:machine": HB,
        "hpc:zone": "eastus",
        "hpc:purchase": "on_demand",
        "hpc:role": "compute",
    }
    assert not made.scale_sets
    assert list(made.availability_sets) == [f"{HB}/eastus"]


def test_the_template_makes_what_the_daemon_names():
    """`hpc_components.elastic.drivers.azure.deploying` sends these parameters."""
    assert set(template()["parameters"]) == {"machines", "token", "availabilitySet"}
    made = machine()
    assert made["copy"]["count"] == "[length(parameters('machines'))]"
    assert made["name"] == "[parameters('machines')[copyIndex()].name]"
    assert made["properties"]["availabilitySet"] == {"id": "[parameters('availabilitySet')]"}
    node = "[parameters('machines')[copyIndex()].node]"
    assert (made["tags"]["hpc:node"], made["tags"]["hpc:token"]) == (node, "[parameters('token')]")
    assert made["properties"]["osProfile"]["computerName"] == node
    tags = fleet()[0].one(SET).inputs["tags"]
    assert made["tags"].items() >= {key: value for key, value in tags.items() if key != "hpc:template"}.items()


def test_disk_and_interface_go_with_their_machine():
    properties = machine()["properties"]
    assert properties["storageProfile"]["osDisk"] == {
        "createOption": "FromImage",
        "caching": "ReadWrite",
        "diskSizeGB": 128,
        "managedDisk": {"storageAccountType": "Premium_LRS"},
        "deleteOption": "Delete",
    }
    (interface,) = properties["networkProfile"]["networkInterfaceConfigurations"]
    assert interface["properties"]["deleteOption"] == "Delete"
    assert interface["properties"]["enableAcceleratedNetworking"]
    (address,) = interface["properties"]["ipConfigurations"]
    assert address["properties"]["subnet"] == {"id": NETWORK.subnets["nodes"]}


def test_machines_are_as_in_a_scale_set():
    properties = machine(identities=WHO_LENDS)["properties"]
    assert base64.b64decode(properties["osProfile"]["customData"]).decode() == ARGS["user_data"]
    assert properties["osProfile"]["linuxConfiguration"]["disablePasswordAuthentication"]
    assert properties["hardwareProfile"] == {"vmSize": HB}
    publisher, offer, sku, version = ARGS["image"].split(":")
    image = {"publisher": publisher, "offer": offer, "sku": sku, "version": version}
    assert properties["storageProfile"]["imageReference"] == image
    assert machine(identities=WHO_LENDS)["identity"] == {
        "type": "UserAssigned",
        "userAssignedIdentities": {f"{IDENTITIES}/own": {}, f"{IDENTITIES}/lent": {}},
    }


def test_groups_and_keys_of_the_users_are_used():
    group = f"{GROUP.id}/providers/Microsoft.Network/networkSecurityGroups/nodes"
    key = f"{GROUP.id}/providers/Microsoft.Compute/diskEncryptionSets/key"
    near = f"{NODES_GROUP.id}/providers/Microsoft.Compute/proximityPlacementGroups/near"
    network = Network(id=NETWORK.id, cidr=NETWORK.cidr, subnets=NETWORK.subnets, security_groups={"nodes": group})
    change = {
        "machines": (PLAIN,),
        "network": network,
        "root": RootDisk(size_gib=128, encryption_set=key),
        "proximity_group": near,
        "tags": Tags("cfd", {"Note": "[sic]"}),
    }
    made = machine(**change)
    properties = made["properties"]
    assert properties["storageProfile"]["osDisk"]["managedDisk"]["diskEncryptionSet"] == {"id": key}
    (interface,) = properties["networkProfile"]["networkInterfaceConfigurations"]
    assert interface["properties"]["networkSecurityGroup"] == {"id": group}
    assert properties["proximityPlacementGroup"] == {"id": near}
    assert made["tags"]["Note"] == "[[sic]", "a template takes what is in brackets for an expression"
    recording, one = fleet(**change)
    assert recording.one(SET).inputs["proximityPlacementGroup"] == {"id": near}
    assert recording.one(SET).inputs["platformFaultDomainCount"] == 2
    assert recording.one(SET).inputs["tags"]["Note"] == "[sic]"
    assert set(one.parts) == {group, near, key}


def test_the_plan_of_an_image_is_the_machines():
    plan = {"publisher": "center-for-internet-security-inc", "product": "cis-ubuntu", "name": "cis-l1"}
    assert machine(image=f"{plan['publisher']}:cis-ubuntu:cis-l1:1.0.1", image_plan=ImagePlan(**plan))["plan"] == plan
    assert "plan" not in machine()


def test_a_root_disk_on_the_machines_own_disks_costs_nothing():
    assert machine(ephemeral_root=True)["properties"]["storageProfile"]["osDisk"] == {
        "createOption": "FromImage",
        "caching": "ReadOnly",
        "diskSizeGB": 128,
        "diffDiskSettings": {"option": "Local", "placement": "ResourceDisk"},
        "managedDisk": {"storageAccountType": "Standard_LRS"},
        "deleteOption": "Delete",
    }
    recording, _ = fleet(ephemeral_root=True)
    (use,) = machine_uses(make_plan(recording, cluster="cfd", cloud="azure", region="eastus").resources)
    assert use.disks == ()


def test_a_plan_counts_its_machines_and_their_disks(planned):
    resources = make_plan(planned, cluster="cfd", cloud="azure", region="eastus").resources
    (use,) = machine_uses(resources)
    assert (use.queue, use.machines, use.purchase, use.idle, use.full) == ("compute-queue", (HB,), "on_demand", 0, 16)
    assert use.disks == (Disk(type="Premium_LRS", gib=128),)
    (fleet,) = fleets_of(resources)
    assert (fleet.fleet.placement, fleet.fleet.fabric) == ("availability set", True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"zones": ("eastus-1",)},
            "zones: an availability set can't be in a zone such as eastus-1; use ('eastus',); or use",
        ),
        (
            {"max": 201},
            "max = 201: an availability set can have 200 machines, not 201; use 200; for more",
        ),
        (
            {"machines": (PLAIN,), "purchase": "spot"},
            "purchase = 'spot': Azure doesn't launch spot machines in an availability set; use "
            "availability_set=False",
        ),
    ],
)
def test_arguments_that_azure_refuses_are_refused(change, message):
    with pytest.raises(ValueError, match=r"^InfinibandComputeFleetArgs\.") as error:
        fleet_args(**{**NAMED, **change})
    assert message in str(error.value)


def test_it_holds_more_than_a_scale_set_of_one_fabric():
    assert fleet_args(**NAMED, max=200).max == 200
