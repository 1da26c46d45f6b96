import base64
from functools import cache
from typing import Any

import pulumi
import pytest

from clouds.azure.modes import checked_preview
from clouds.azure.nodes_sample import (
    CONTAINERS,
    IDENTITIES,
    NODES_GROUP,
    SERVICE_TAGS,
    SERVICES,
    THEIRS,
    VAULT,
    WHO,
    WHO_LENDS,
)
from clouds.azure.sample import GROUP, NETWORK, SUBSCRIPTION, TAGS
from hpc_components.azure.components.short_names import scale_set_end
from hpc_components.azure.disks.component import RootDisk
from hpc_components.azure.fleet.component import InfinibandComputeFleet, InfinibandComputeFleetArgs
from hpc_components.azure.images.component import ImagePlan
from hpc_components.azure.machines.profile import UNUSABLE_SSH_KEY
from hpc_components.azure.ports import FleetRef, Network
from hpc_components.ports import Tags
from hpc_components.preview.record import RecordedResource, Recording, record

HB, PLAIN = "Standard_HB176rs_v4", "Standard_D96as_v5"
SET = "azure-native:compute:VirtualMachineScaleSet"
IMAGE = "microsoft-dsvm:ubuntu-hpc:2404:24.04.2026072901"
RESERVATION = f"{SUBSCRIPTION}/resourceGroups/ours/providers/Microsoft.Compute/capacityReservationGroups/crg"
ARGS: dict[str, Any] = {
    "group": NODES_GROUP,
    "queue": "compute-queue",
    "machines": (HB,),
    "network": NETWORK,
    "zones": ("eastus-1",),
    "max": 16,
    "image": IMAGE,
    "user_data": "#!/bin/sh\necho hello\n",
    "root": RootDisk(size_gib=128),
    "identities": WHO,
    "services": SERVICES,
    "tags": TAGS,
}
SPOT: dict[str, Any] = {"machines": (PLAIN,), "purchase": "spot"}


def fleet_args(**change: Any) -> InfinibandComputeFleetArgs:
    return InfinibandComputeFleetArgs(**{**ARGS, **change})


def fleet(**change: Any) -> tuple[Recording, FleetRef]:
    made = []

    def program() -> None:
        one = InfinibandComputeFleet("cfd-compute-queue", fleet_args(**change)).fleet
        made.append(one)
        pulumi.export("sets", dict(one.scale_sets))

    return record(program), made[0]


def scale_set(**change: Any) -> RecordedResource:
    return fleet(**change)[0].one(SET)


@pytest.fixture(scope="module")
def infiniband() -> RecordedResource:
    return checked_preview(lambda: InfinibandComputeFleet("cfd-compute-queue", fleet_args())).one(SET)


@pytest.fixture(scope="module")
def spot() -> RecordedResource:
    return checked_preview(lambda: InfinibandComputeFleet("cfd-spot", fleet_args(queue="spot", **SPOT))).one(SET)


def profile(made: RecordedResource) -> dict[str, Any]:
    return made.inputs["virtualMachineProfile"]


def test_machines_of_one_fabric_are_in_one_placement_group(infiniband):
    """Machines share InfiniBand only in a Uniform scale set with one placement group and fault domain."""
    inputs = infiniband.inputs
    assert {name: inputs[name] for name in ("orchestrationMode", "singlePlacementGroup", "overprovision")} == {
        "orchestrationMode": "Uniform",
        "singlePlacementGroup": True,
        "overprovision": False,
    }
    assert (inputs["platformFaultDomainCount"], inputs["upgradePolicy"]) == (1, {"mode": "Manual"})
    assert inputs["sku"] == {"name": HB, "tier": "Standard", "capacity": 0}
    assert (inputs["zones"], inputs["resourceGroupName"], inputs["location"]) == (["1"], "cfd-nodes", "eastus")


@pytest.mark.parametrize("change", [{"machines": (PLAIN,)}, {"fabric": False}])
def test_other_scale_sets_are_flexible(change):
    inputs = scale_set(**change).inputs
    assert (inputs["orchestrationMode"], inputs["singlePlacementGroup"]) == ("Flexible", False)
    assert inputs["platformFaultDomainCount"] == 1
    assert not {"overprovision", "upgradePolicy"} & set(inputs), "Azure refuses them there"
    network = profile(scale_set(**change))["networkProfile"]
    assert network["networkApiVersion"] == "2022-11-01"
    assert network["networkInterfaceConfigurations"][0]["deleteOption"] == "Delete"
    assert profile(scale_set(**change))["storageProfile"]["osDisk"]["deleteOption"] == "Delete"


@pytest.mark.parametrize("machine", [HB, PLAIN], ids=["uniform", "flexible"])
def test_an_image_can_have_a_purchase_plan(machine):
    plan = {"publisher": "center-for-internet-security-inc", "product": "cis-ubuntu", "name": "cis-l1"}
    image = f"{plan['publisher']}:cis-ubuntu:cis-l1:1.0.1"
    assert scale_set(machines=(machine,), image=image, image_plan=ImagePlan(**plan)).inputs["plan"] == plan
    assert "plan" not in scale_set(machines=(machine,)).inputs


@pytest.mark.parametrize(
    ("machine", "settings"),
    [
        (HB, {"option": "Local", "placement": "ResourceDisk"}),
        ("Standard_D16ads_v6", {"option": "Local", "placement": "NvmeDisk"}),
        ("Standard_NC40ads_H100_v5", {"option": "Local"}),  # Azure chooses a location with capacity
    ],
)
def test_a_root_disk_can_be_on_the_machines_own_disks(machine, settings):
    key = f"{GROUP.id}/providers/Microsoft.Compute/diskEncryptionSets/key"
    made = scale_set(machines=(machine,), ephemeral_root=True, root=RootDisk(size_gib=128, encryption_set=key))
    assert profile(made)["storageProfile"]["osDisk"] == {
        "createOption": "FromImage",
        "caching": "ReadOnly",
        "diskSizeGB": 128,
        "diffDiskSettings": settings,
        "managedDisk": {"storageAccountType": "Standard_LRS", "diskEncryptionSet": {"id": key}},
        **({} if machine == HB else {"deleteOption": "Delete"}),
    }


def test_a_fallback_without_the_fabric_is_flexible_beside_the_others():
    recording, made = fleet(machines=(HB, PLAIN))
    assert {each.inputs["sku"]["name"]: each.inputs["orchestrationMode"] for each in recording.all(SET)} == {
        HB: "Uniform",
        PLAIN: "Flexible",
    }
    assert made.flexible
    assert not fleet(machines=(HB,))[1].flexible


def test_pulumi_never_changes_a_scale_set(infiniband, spot):
    """An update would send capacity 0 with any other change, and Azure would delete the machines."""
    for made in (infiniband, spot):
        assert made.ignore_changes == ("sku.capacity",)
        assert made.replace_on_changes == ("*",)
        assert (made.retain, made.delete_before_replace) == (True, False)
        assert "vmScaleSetName" not in made.inputs, "two can be there at a time"


def test_each_machine_type_and_zone_has_a_scale_set():
    recording, made = fleet(machines=(HB, "Standard_HB120rs_v3"), zones=("eastus-2", "eastus-1"))
    assert {each.name: (each.inputs["sku"]["name"], each.inputs["zones"]) for each in recording.all(SET)} == {
        "cfd-compute-queue-hb176rs-v4-2": (HB, ["2"]),
        "cfd-compute-queue-hb176rs-v4-1": (HB, ["1"]),
        "cfd-compute-queue-hb120rs-v3-2": ("Standard_HB120rs_v3", ["2"]),
        "cfd-compute-queue-hb120rs-v3-1": ("Standard_HB120rs_v3", ["1"]),
    }
    assert list(made.scale_sets) == [
        f"{HB}/eastus-2", f"{HB}/eastus-1", "Standard_HB120rs_v3/eastus-2", "Standard_HB120rs_v3/eastus-1",
    ]  # fmt: skip


def test_with_its_random_end_no_name_is_too_long():
    names = set()
    for fleet_name in (
        "a-cluster-with-a-very-long-name-indeed-gpu-queue",
        "a-cluster-with-a-very-long-name-indeed-gpu-quota",
    ):
        made = record(lambda name=fleet_name: InfinibandComputeFleet(name, fleet_args())).one(SET)
        assert len(made.name) + 8 <= 64
        assert made.name.endswith("-hb176rs-v4-1")
        names.add(made.name)
    assert len(names) == 2


def test_a_region_without_zones_needs_none():
    made = scale_set(zones=("eastus",))
    assert made.name == "cfd-compute-queue-hb176rs-v4-r"
    assert "zones" not in made.inputs
    assert made.inputs["tags"]["hpc:zone"] == "eastus"


def test_constrained_sizes_have_names_too():
    assert scale_set_end("Standard_HB176-96rs_v4", "eastus-3", "eastus") == "hb176-96rs-v4-3"


def test_a_machine_reads_all_that_it_must_know_in_its_tags(infiniband):
    assert infiniband.inputs["tags"] == {
        **SERVICE_TAGS,
        "Name": "cfd-compute-queue-hb176rs-v4-1",
        "hpc:role": "compute",
        "hpc:queue": "compute-queue",
        "hpc:machine": HB,
        "hpc:zone": "eastus-1",
        "hpc:purchase": "on_demand",
    }


def test_machines_lend_a_second_identity():
    made = scale_set(identities=WHO_LENDS)
    assert made.inputs["identity"] == {
        "type": "UserAssigned",
        "userAssignedIdentities": [f"{IDENTITIES}/own", f"{IDENTITIES}/lent"],
    }
    assert made.inputs["tags"]["hpc:data-identity"] == "22222222-0000-0000-0000-000000000000"


def test_nothing_sends_logs_where_there_are_none():
    from dataclasses import replace

    recording, _ = fleet(services=replace(SERVICES, logs=None))
    assert "hpc:logs" not in recording.one(SET).inputs["tags"]
    assert {each.inputs["scope"] for each in recording.all("RoleAssignment")} == {
        f"{CONTAINERS}/config",
        f"{CONTAINERS}/nodes",
        f"{VAULT}/secrets/munge",
    }


def test_rights_come_before_the_first_machine(infiniband):
    assert len(infiniband.depends_on) == 4
    assert all("RoleAssignment" in urn for urn in infiniband.depends_on)


def test_an_identity_of_the_users_gets_no_roles():
    recording, made = fleet(identities=THEIRS)
    assert not recording.all("RoleAssignment")
    assert made.identities == (f"{IDENTITIES}/theirs",)
    assert recording.one(SET).inputs["tags"]["hpc:identity"] == "33333333-0000-0000-0000-000000000000"


def test_spot_machines_are_deleted_when_they_are_taken(spot):
    taken = profile(spot)
    assert (taken["priority"], taken["evictionPolicy"], taken["billingProfile"]) == (
        "Spot",
        "Delete",
        {"maxPrice": -1},
    )
    assert profile(scale_set(**SPOT, max_spot_price=1.25))["billingProfile"] == {"maxPrice": 1.25}


def test_other_machines_are_regular_ones(infiniband):
    assert profile(infiniband)["priority"] == "Regular"
    assert not {"evictionPolicy", "billingProfile", "capacityReservation"} & set(profile(infiniband))


def test_reserved_machines_name_their_reservation():
    made = scale_set(machines=(PLAIN,), purchase="reservation", reservation_id=RESERVATION)
    assert profile(made)["capacityReservation"] == {"capacityReservationGroup": {"id": RESERVATION}}


def test_a_node_has_one_interface_without_a_public_address(infiniband):
    (interface,) = profile(infiniband)["networkProfile"]["networkInterfaceConfigurations"]
    (address,) = interface.pop("ipConfigurations")
    assert interface == {"enableAcceleratedNetworking": True, "name": "ethernet", "primary": True}
    assert address == {"name": "address", "primary": True, "subnet": {"id": NETWORK.subnets["nodes"]}}


def test_where_the_subnet_has_no_security_group_the_interface_has_one():
    group = f"{GROUP.id}/providers/Microsoft.Network/networkSecurityGroups/nodes"
    network = Network(id=NETWORK.id, cidr=NETWORK.cidr, subnets=NETWORK.subnets, security_groups={"nodes": group})
    recording, made = fleet(network=network)
    (interface,) = profile(recording.one(SET))["networkProfile"]["networkInterfaceConfigurations"]
    assert interface["networkSecurityGroup"] == {"id": group}
    assert made.parts == (group,)


def test_nobody_can_log_in_as_administrator(infiniband):
    os = profile(infiniband)["osProfile"]
    assert base64.b64decode(os.pop("customData")).decode() == ARGS["user_data"]
    assert os == {
        "adminUsername": "azureuser",
        "computerNamePrefix": "compute-q",
        "linuxConfiguration": {
            "disablePasswordAuthentication": True,
            "ssh": {"publicKeys": [{"keyData": UNUSABLE_SSH_KEY, "path": "/home/azureuser/.ssh/authorized_keys"}]},
        },
    }


def test_the_root_disk_goes_with_its_machine(infiniband):
    key = f"{GROUP.id}/providers/Microsoft.Compute/diskEncryptionSets/key"
    assert profile(infiniband)["storageProfile"]["osDisk"] == {
        "caching": "ReadWrite",
        "createOption": "FromImage",
        "diskSizeGB": 128,
        "managedDisk": {"storageAccountType": "Premium_LRS"},
    }
    root = RootDisk(size_gib=200, type="StandardSSD_LRS", encryption_set=key)
    disk = profile(scale_set(root=root))["storageProfile"]["osDisk"]
    assert disk["managedDisk"] == {"storageAccountType": "StandardSSD_LRS", "diskEncryptionSet": {"id": key}}


def test_the_head_node_learns_what_machines_are_made_with():
    image = f"{SUBSCRIPTION}/resourceGroups/i/providers/Microsoft.Compute/galleries/g/images/node/versions/1.0.0"
    group = f"{NODES_GROUP.id}/providers/Microsoft.Compute/proximityPlacementGroups/near"
    key = f"{GROUP.id}/providers/Microsoft.Compute/diskEncryptionSets/key"
    _, made = fleet(
        machines=(PLAIN,),
        image=image,
        proximity_group=group,
        root=RootDisk(size_gib=128, encryption_set=key),
        identities=WHO_LENDS,
    )
    assert made.parts == (group, image, key)
    assert made.subnets == (NETWORK.subnets["nodes"],)
    assert made.identities == (f"{IDENTITIES}/own", f"{IDENTITIES}/lent")


def test_machines_without_infiniband_can_be_near_to_one_another():
    group = f"{NODES_GROUP.id}/providers/Microsoft.Compute/proximityPlacementGroups/near"
    assert scale_set(machines=(PLAIN,), proximity_group=group).inputs["proximityPlacementGroup"] == {"id": group}


@cache
def component(machines: tuple[str, ...], fabric: bool | None) -> dict[str, Any]:
    return fleet(machines=machines, fabric=fabric, min=2)[0].one("hpc:azure:InfinibandComputeFleet").inputs


@pytest.mark.parametrize(
    ("machines", "fabric", "has"),
    [((HB,), None, True), ((HB,), False, False), ((PLAIN,), None, False), ((HB, PLAIN), None, True)],
)
def test_a_fleet_describes_its_queue_for_the_plan(machines, fabric, has):
    assert component(machines, fabric) == {
        "queue": "compute-queue",
        "machines": list(machines),
        "zones": ["eastus-1"],
        "min": 2,
        "max": 16,
        "purchase": "on_demand",
        "fabric": has,
        "smt": True,
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"queue": "GPU_1"}, "queue: node names can't begin with 'GPU_1'"),
        ({"max": 0}, "max: max=0 and min=0 are inconsistent;"),
        ({"min": 17}, "max: max=16 and min=17 are inconsistent;"),
        ({"machines": ()}, "machines is empty"),
        ({"machines": ("Standard_HB176rs_v5",)}, "machines[0]: 'Standard_HB176rs_v5' is not an Azure VM size"),
        ({"machines": (HB, HB)}, f"machines[1]: '{HB}' appears twice"),
        ({"machines": (PLAIN,), "fabric": True}, f"machines[0]: '{PLAIN}' has no InfiniBand"),
        ({"machines": (PLAIN,), "smt": False}, f"machines[0]: '{PLAIN}' has two threads per core"),
        ({"zones": ()}, "zones is empty; specify at least eastus"),
        ({"zones": ("eastus-1", "eastus-1")}, "zones[1]: 'eastus-1' appears twice"),
        ({"zones": ("westus2-1",)}, "zones[0]: "),
        (
            {"network": Network(id="v", cidr="10.0.0.0/16", subnets={"head": "h"})},
            "the network must have a subnet 'nodes'; its subnets: head",
        ),
        (
            {"purchase": "cheap"},
            "purchase: 'cheap' is unknown; use on_demand, spot or reservation",
        ),
        ({"purchase": "reservation"}, "reservation_id: set this argument if the purchase option is reservation"),
        (
            {"reservation_id": RESERVATION},
            "reservation_id: set this argument if the purchase option is reservation, and only then",
        ),
        (
            {"purchase": "reservation", "reservation_id": RESERVATION},
            f"machines[0]: capacity of {HB} can't be reserved; use purchase='on_demand'",
        ),
        (
            {"max_spot_price": 1.0},
            "max_spot_price: a maximum price is only allowed for spot machines and must be more than 0, not 1.0",
        ),
        (
            {**SPOT, "max_spot_price": -1.0},
            "max_spot_price: a maximum price is only allowed for spot machines and must be more than 0, not -1.0",
        ),
        (
            {"proximity_group": "/p"},
            "proximity_group: a scale set with InfiniBand already places its machines close together,",
        ),
        (
            {"max": 101},
            "max = 101: a scale set with InfiniBand can have 100 machines, or up to 300 "
            "after a support request, not 101; use scale_set_limit=101; or use 100",
        ),
        (
            {"max": 301, "scale_set_limit": 300},
            "max = 301: a scale set with InfiniBand can have 100 machines, or up to 300",
        ),
        (
            {"scale_set_limit": 400},
            "scale_set_limit = 400: a scale set with InfiniBand can have 100 machines, or up to 300",
        ),
        ({"machines": (PLAIN,), "max": 1001}, "max = 1001: a scale set without InfiniBand can have 1000 machines"),
        (
            {"machines": (HB, "Standard_HB120rs_v3"), "ephemeral_root": True, "root": RootDisk(size_gib=480)},
            f"ephemeral_root = True: the local disks of {HB} have room for a root disk of at most 447 GiB, "
            "not 480 GiB",
        ),
        (
            {"machines": (HB, PLAIN), "ephemeral_root": True},
            f"ephemeral_root = True: {PLAIN} has no local disks that can be used for a root disk; leave it out",
        ),
        (
            {"image_plan": ImagePlan(publisher="a", product="b", name="c")},
            f"image_plan: {IMAGE} is sold without a purchase plan, so Azure refuses "
            "machines that specify one; leave it out",
        ),
        ({"image": "ubuntu"}, "image: 'ubuntu' is not a valid image"),
        ({"user_data": "x" * 70_000}, "user_data: user data has 70000 bytes, but Azure accepts at most 65535"),
        ({"root": RootDisk(size_gib=128, type="PremiumV2_LRS")}, "root.type = 'PremiumV2_LRS': "),
        ({"root": RootDisk(size_gib=0)}, "root.size_gib = 0: "),
        ({"admin_user": "root"}, "admin_user: 'root'"),
        ({"tags": Tags("cfd", {"a/b": "c"})}, "tags.extra: 'a/b'"),
    ],
)
def test_arguments_that_azure_refuses_are_refused(change, message):
    with pytest.raises(ValueError, match=r"^InfinibandComputeFleetArgs\.") as error:
        fleet_args(**change)
    assert message in str(error.value)


def test_a_support_request_allows_a_larger_fabric():
    assert fleet_args(max=300, scale_set_limit=300).max == 300
