"""The machines of a plan, and their disks."""

import pytest

from clouds.azure.plan.made import made
from hpc_components.azure.plan.fleets import fleets_of
from hpc_components.azure.plan.machines import AzureMachineUse, Disk, machine_uses
from hpc_components.preview.resources import UNKNOWN, Resource, Resources

SCALE_SET, MACHINE = "compute:VirtualMachineScaleSet", "compute:VirtualMachine"
FLEET = "hpc:azure:InfinibandComputeFleet"


def uses(*resources: Resource) -> list[AzureMachineUse]:
    return list(machine_uses(Resources(resources)))


def test_a_users_own_machine_counts_with_its_disk() -> None:
    vm = made(
        MACHINE,
        "tools",
        hardwareProfile={"vmSize": "Standard_D4s_v5"},
        priority="Spot",
        storageProfile={"osDisk": {"diskSizeGB": 100, "managedDisk": {"storageAccountType": "Premium_LRS"}}},
    )
    assert uses(vm) == [
        AzureMachineUse(
            what="tools",
            resource=vm.urn,
            machines=("Standard_D4s_v5",),
            purchase="spot",
            idle=1,
            full=1,
            disks=(Disk(type="Premium_LRS", gib=100),),
        )
    ]


@pytest.mark.parametrize(
    ("disk", "expected"),
    [
        ({"diskSizeGB": 64}, (Disk(type="Standard_LRS", gib=64),)),
        ({"diskSizeGB": 64, "diffDiskSettings": {"option": "Local"}}, ()),  # on the machine's local disks
        ({"diskSizeGB": UNKNOWN}, ()),
        ({}, ()),
        (UNKNOWN, ()),
    ],
)
def test_a_machines_disk_counts_as_described(disk: object, expected: tuple[Disk, ...]) -> None:
    (use,) = uses(made(MACHINE, "tools", storageProfile={"osDisk": disk}))
    assert (use.machines, use.disks) == ((), expected)


def test_a_scale_set_of_a_users_own_has_its_capacity_until_a_setting_says_more() -> None:
    own = made(SCALE_SET, "web", sku={"name": "Standard_D2s_v5", "capacity": 3})
    (use,) = uses(own)
    assert (use.what, use.idle, use.full, use.queue) == ("web", 3, 3, None)
    profiles = [{"capacity": {"maximum": most}} for most in ("7", "5", UNKNOWN)]
    (use,) = uses(own, made("monitor:AutoscaleSetting", "grow", needs=(own,), profiles=profiles))
    assert (use.idle, use.full) == (3, 7)
    other = made(SCALE_SET, "other", sku={"capacity": 1})
    assert {each.full for each in uses(own, other, made("monitor:AutoscaleSetting", "grow", profiles=profiles))} == {
        3, 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("profile", "purchase"),
    [
        ({"priority": "Spot"}, "spot"),
        ({"priority": "Regular"}, "on_demand"),
        ({"capacityReservation": {"capacityReservationGroup": {"id": "/subscriptions/1"}}}, "reservation"),
        ({"capacityReservation": {"capacityReservationGroup": {"id": UNKNOWN}}}, "reservation"),
        (UNKNOWN, "on_demand"),
    ],
)
def test_a_scale_set_has_its_way_to_buy(profile: object, purchase: str) -> None:
    (use,) = uses(made(SCALE_SET, "web", virtualMachineProfile=profile))
    assert use.purchase == purchase


class TestFleets:
    def test_what_the_component_does_not_say_its_scale_sets_do(self) -> None:
        fleet = made(FLEET, "batch", machines=["Standard_D4s_v5"])
        group = made("compute:ProximityPlacementGroup", "close")
        scale_set = made(
            SCALE_SET, "batch-1", below=fleet, needs=(group,), virtualMachineProfile={"priority": "Spot"}
        )
        (found,) = fleets_of(Resources([fleet, group, scale_set]))
        assert (found.fleet.queue, found.fleet.purchase, found.fleet.placement) == (
            "batch", "spot", "proximity placement group",
        )  # fmt: skip
        assert (found.fleet.min, found.fleet.max, found.scale_set) == (0, 0, scale_set.inputs)

    def test_a_fleet_of_which_nothing_is_known_is_still_one(self) -> None:
        (found,) = fleets_of(Resources([made(FLEET, "batch")]))
        assert (found.fleet.queue, found.fleet.machines, found.fleet.purchase) == ("batch", (), "on_demand")
