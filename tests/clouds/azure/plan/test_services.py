"""Billed services, quotas and budgets of a plan."""

from decimal import Decimal
from typing import Any

import pytest

from clouds.azure.plan.made import made
from hpc_components.azure.plan.reader import READER
from hpc_components.azure.plan.services import monthly_budgets
from hpc_components.catalog import service_price
from hpc_components.preview.resources import UNKNOWN, Resource, Resources

DISK, MACHINE, SCALE_SET = "compute:Disk", "compute:VirtualMachine", "compute:VirtualMachineScaleSet"
FLEET = "hpc:azure:InfinibandComputeFleet"


def paid(*resources: Resource) -> dict[str, tuple[int, int]]:
    """Return the idle and full quantity of each item of the price list."""
    return {each.item: (each.idle, each.full) for each in READER.services(Resources(resources))}


def counted(*resources: Resource) -> dict[str, float]:
    return {each.quota.key: each.need for each in READER.quotas(Resources(resources))}


class TestDisks:
    @pytest.mark.parametrize(
        ("disk", "items"),
        [
            ({"sku": {"name": "Premium_LRS"}, "diskSizeGB": 100}, {"disk.Premium_LRS.128": (1, 1)}),
            ({"sku": {"name": "Premium_LRS"}, "diskSizeGB": 129}, {"disk.Premium_LRS.256": (1, 1)}),
            ({"sku": {"name": UNKNOWN}, "diskSizeGB": 20}, {"disk.Standard_LRS.32": (1, 1)}),
            # every GiB is billed, and IOPS and throughput above the included ones
            ({"sku": {"name": "PremiumV2_LRS"}, "diskSizeGB": 100}, {"disk.PremiumV2_LRS.storage": (100, 100)}),
            (
                {
                    "sku": {"name": "PremiumV2_LRS"},
                    "diskSizeGB": 100,
                    "diskIOPSReadWrite": 5000,
                    "diskMBpsReadWrite": 125,
                },
                {"disk.PremiumV2_LRS.storage": (100, 100), "disk.PremiumV2_LRS.iops": (2000, 2000)},
            ),
            (
                {"sku": {"name": "PremiumV2_LRS"}, "diskSizeGB": 100, "diskMBpsReadWrite": 325},
                {"disk.PremiumV2_LRS.storage": (100, 100), "disk.PremiumV2_LRS.throughput": (200, 200)},
            ),
        ],
    )
    def test_a_disk_is_billed_by_its_step_or_by_each_part(
        self, disk: dict[str, Any], items: dict[str, tuple[int, int]]
    ) -> None:
        assert paid(made(DISK, "state", **disk)) == items

    def test_disks_of_a_queue_are_paid_while_its_nodes_run(self) -> None:
        fleet = made(FLEET, "batch", queue="batch", min=2, max=10, machines=["Standard_D4s_v5"])
        root = {"diskSizeGB": 64, "managedDisk": {"storageAccountType": "StandardSSD_LRS"}}
        profile = {"storageProfile": {"osDisk": root}}
        scale_set = made(SCALE_SET, "batch-1", below=fleet, virtualMachineProfile=profile)
        assert paid(fleet, scale_set) == {"disk.StandardSSD_LRS.64": (2, 10)}


def test_file_systems_are_paid_by_their_capacity() -> None:
    assert paid(
        made(
            "storagecache:AmlFilesystem", "scratch", sku={"name": "AMLFS-Durable-Premium-250"}, storageCapacityTiB=8
        ),
        made("storage:FileShare", "home", shareQuota=1024),
        made("netapp:CapacityPool", "pool", serviceLevel="Premium", size=2 * 2**40),
    ) == {
        "lustre.250": (8192, 8192),
        "files.premium": (1024, 1024),
        "netapp.premium": (2048, 2048),
    }


def test_gateways_addresses_and_endpoints_are_paid_by_the_hour() -> None:
    kinds = ("NatGateway", "PublicIPAddress", "LoadBalancer", "BastionHost", "PrivateEndpoint")
    items = paid(*(made(f"network:{kind}", kind) for kind in kinds))
    assert set(items.values()) == {(1, 1)}
    assert all(service_price("azure", item, "eastus") for item in items)
    assert len(items) == len(kinds)


def test_what_no_plan_can_know_is_named_where_it_is_paid() -> None:
    kinds = {
        "network:NatGateway": "data through NAT gateways",
        "network:LoadBalancer": "data through load balancers",
        "storage:StorageAccount": "data in storage accounts, and requests to them",
        "netapp:CapacityPool": "snapshots of volumes",
        "operationalinsights:Workspace": "logs",
    }
    for kind, words in kinds.items():
        assert list(READER.not_counted(Resources([made(kind, "it")]))) == [words]
    assert list(READER.not_counted(Resources([]))) == []


def test_only_monthly_budgets_with_a_known_amount_count() -> None:
    budgets = (
        made("consumption:Budget", "a", amount=5000, timeGrain="Monthly"),
        made("consumption:Budget", "b", amount=9000, timeGrain="Quarterly"),
        made("consumption:Budget", "c", amount=UNKNOWN, timeGrain="Monthly"),
    )
    assert list(monthly_budgets(Resources(budgets))) == [Decimal(5000)]


class TestQuotas:
    def test_a_machine_with_fewer_cores_counts_as_its_full_size(self) -> None:
        vm = made(MACHINE, "big", hardwareProfile={"vmSize": "Standard_HB120-16rs_v3"})
        assert counted(vm)["cores"] == 120

    def test_of_machines_that_stand_in_for_one_another_the_largest_counts(self) -> None:
        fleet = made(FLEET, "q", queue="q", max=10, machines=["Standard_D64s_v5", "Standard_D96s_v5"])
        assert counted(fleet)["cores"] == 960
        spot = made(FLEET, "q", queue="q", max=10, machines=["Standard_D64s_v5"], purchase="spot")
        assert counted(spot) == {"lowPriorityCores": 640}

    def test_a_machine_without_facts_counts_nothing(self) -> None:
        assert counted(made(MACHINE, "odd", hardwareProfile={"vmSize": "Standard_ODD_v9"})) == {}

    def test_storage_and_addresses_count_for_the_cost(self) -> None:
        assert counted(
            made("network:PublicIPAddress", "out"),
            made("netapp:CapacityPool", "pool", size=4 * 2**40),
            made(DISK, "state", sku={"name": "PremiumV2_LRS"}, diskSizeGB=256),
            made(DISK, "other", sku={"name": "Premium_LRS"}, diskSizeGB=256),
        ) == {"public_addresses": 1, "netapp.capacity": 4, "disk.PremiumV2_LRS": 256}
