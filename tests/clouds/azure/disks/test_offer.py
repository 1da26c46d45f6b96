"""Managed disks: what Azure offers, and what it refuses in an order, as arguments and as inputs."""

from dataclasses import make_dataclass
from typing import Any

import pytest
from catalog.present import present
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.azure.disks.component import RootDisk, StateDisk, check_disk
from hpc_components.azure.disks.offer import (
    DiskOrder,
    billed_gib,
    disk_type,
    most_disk_iops,
    most_disk_mbps,
    refusals,
)
from hpc_components.azure.disks.plan import disk as refused_disk
from hpc_components.azure.disks.plan import scale_set_disk
from hpc_components.catalog.level import Level
from hpc_components.preview.resources import UNKNOWN

V2: dict[str, Any] = {"type": "PremiumV2_LRS", "size_gib": 512, "iops": 8000, "throughput": 1000, "zone": "eastus-1"}
NodeArgs = make_dataclass("NodeArgs", ["disk"])


def refused(**order: Any) -> list[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """Return id, field and both remedies of each refusal."""
    found = refusals(DiskOrder(**order))
    return [(each.limit.id, each.field, dict(each.changes), dict(each.alternative)) for each in found]


@pytest.mark.parametrize(
    "order",
    [
        V2, {"type": "Premium_LRS", "root": True, "size_gib": 64},
        {"type": "PremiumV2_LRS", "zone": "northcentralus"},
        {"type": "PremiumV2_LRS", "throughput": 750}, {"type": "StandardSSD_LRS", "size_gib": 32767},
    ],
)  # fmt: skip
def test_disks_that_are_sold_are_accepted(order):
    assert refused(**order) == []


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (
            V2 | {"root": True, "size_gib": 64},
            ("HPC-DSK-006", "type", {"type": "Premium_LRS"}, {"type": "StandardSSD_LRS"}),
        ),
        (
            {"type": "Premium_LRS", "root": True, "size_gib": 5000},
            ("HPC-DSK-001", "size_gib", {"size_gib": 4095}, {}),
        ),
        ({"type": "Premium_LRS", "size_gib": 32768}, ("HPC-DSK-001", "size_gib", {"size_gib": 32767}, {})),
        ({"type": "Premium_LRS", "size_gib": 0}, ("HPC-DSK-001", "size_gib", {"size_gib": 1}, {})),
        ({"type": "Premium_LRS", "size_gib": 1.5}, ("HPC-DSK-002", "size_gib", {"size_gib": 2}, {})),
        (
            {"type": "Premium_LRS", "iops": 5000},
            ("HPC-DSK-003", "iops", {"iops": None}, {"type": "PremiumV2_LRS"}),
        ),
        (
            {"type": "Premium_LRS", "root": True, "throughput": 500},
            ("HPC-DSK-003", "throughput", {"throughput": None}, {}),
        ),
        (V2 | {"iops": 2000, "throughput": None}, ("HPC-DSK-004", "iops", {"iops": 3000}, {})),
        (V2 | {"size_gib": 10}, ("HPC-DSK-004", "iops", {"iops": 5000}, {"size_gib": 16})),
        (V2 | {"iops": 3000}, ("HPC-DSK-005", "throughput", {"iops": 4000}, {"throughput": 750})),
        (V2 | {"iops": None}, ("HPC-DSK-005", "throughput", {"iops": 4000}, {"throughput": 750})),
        (V2 | {"throughput": 100}, ("HPC-DSK-005", "throughput", {"throughput": 125}, {})),
        (V2 | {"zone": "eastus"}, ("HPC-DSK-007", "type", {"type": "Premium_LRS"}, {"zone": "eastus-1"})),
    ],
)
def test_disks_that_are_not_sold_are_refused(order, expected):
    assert refused(**order) == [expected]


def test_throughput_above_an_unsure_maximum_is_a_warning():
    order = DiskOrder(type="PremiumV2_LRS", size_gib=512, iops=80000, throughput=3000)
    (found,) = refusals(order)
    assert "max_mbps" in present(disk_type("PremiumV2_LRS")).unsure
    assert (found.limit.level, found.level) == (Level.ERROR, Level.WARNING)


def test_type_without_facts_is_not_judged():
    assert refused(type="Ultra_LRS", size_gib=0, iops=5) == []


@given(st.integers(1, 65536), st.integers(3000, 80000), st.integers(125, 2000))
def test_what_a_disk_can_have_is_not_refused(gib, iops, mbps):
    kind = present(disk_type("PremiumV2_LRS"))
    most_iops = most_disk_iops(kind, gib)
    most_mbps = most_disk_mbps(kind, min(iops, most_iops))
    order = {"type": kind.type, "size_gib": gib, "iops": min(iops, most_iops), "throughput": min(mbps, most_mbps)}
    assert refused(**order) == []
    assert refused(**order | {"iops": most_iops + 1})
    assert refused(**order | {"throughput": most_mbps + 1})


def test_fixed_iops_cannot_be_ordered():
    premium = present(disk_type("Premium_LRS"))
    assert (most_disk_iops(premium, 1024), most_disk_mbps(premium, 1000)) == (0, 0)


@pytest.mark.parametrize(
    ("type", "gib", "billed"),
    [("Premium_LRS", 100, 128), ("Premium_LRS", 128, 128), ("Standard_LRS", 4, 32), ("PremiumV2_LRS", 100, 100)],
)
def test_the_billed_size_is_that_of_the_tier(type, gib, billed):
    assert billed_gib(present(disk_type(type)), gib) == billed


def message(disk: RootDisk | StateDisk, zone: str | None) -> str | None:
    try:
        check_disk(NodeArgs(disk=disk), "disk", zone=zone)
    except ValueError as error:
        return str(error)
    return None


@pytest.mark.parametrize(
    ("disk", "zone", "expected"),
    [
        (RootDisk(size_gib=64), None, None),
        (StateDisk(size_gib=64, type="PremiumV2_LRS", iops=4000, throughput=200), "eastus-1", None),
        (
            RootDisk(size_gib=5000),
            None,
            "size_gib = 5000: the size for root disks must be between 1 and 4,095 GiB, not 5,000 GiB; use 4095",
        ),
        (
            RootDisk(size_gib=64, type="PremiumV2_LRS"),
            None,
            "type = 'PremiumV2_LRS': Azure can't boot from PremiumV2_LRS; use 'Premium_LRS';"
            " or use 'StandardSSD_LRS'",
        ),
        (
            StateDisk(size_gib=64, throughput=300),
            "eastus-1",
            "throughput = 300: the size of a Premium_LRS disk determines its speed; leave it out; or use "
            "disk.type='PremiumV2_LRS'",
        ),
        (
            StateDisk(size_gib=512, type="PremiumV2_LRS", iops=90000),
            "eastus-1",
            "iops = 90000: PremiumV2_LRS allows 3000 to 80000 IOPS; use 80000",
        ),
        (
            StateDisk(size_gib=64, type="PremiumV2_LRS"),
            "eastus",
            "type = 'PremiumV2_LRS': PremiumV2_LRS requires a machine in a zone, because region eastus has "
            "zones; use 'Premium_LRS'; or use zone='eastus-1'",
        ),
    ],
)
def test_only_disks_that_azure_sells_are_accepted(disk, zone, expected):
    assert message(disk, zone) == (expected and f"NodeArgs.disk.{expected}")


@pytest.mark.parametrize(
    ("inputs", "path", "remedy"),
    [
        ({"sku": {"name": "Premium_LRS"}, "diskIOPSReadWrite": 5000}, "diskIOPSReadWrite", "leave it out"),
        (
            {"sku": {"name": "PremiumV2_LRS"}, "diskSizeGB": 4, "diskIOPSReadWrite": 80_001},
            "diskIOPSReadWrite",
            "use 3000",
        ),
        ({"sku": {"name": "PremiumV2_LRS"}, "diskMBpsReadWrite": 100}, "diskMBpsReadWrite", "use 125"),
        (
            {"sku": {"name": "PremiumV2_LRS"}, "diskIOPSReadWrite": 3000, "diskMBpsReadWrite": 1000},
            "diskMBpsReadWrite",
            "write diskIOPSReadWrite: 4000; or use 750",
        ),
        (
            {"sku": {"name": "PremiumV2_LRS"}, "location": "eastus", "diskSizeGB": 64},
            "sku.name",
            "use Premium_LRS; or write zones: [1]",
        ),
    ],
)
def test_a_disk_that_azure_refuses_is_found(inputs: dict[str, Any], path: str, remedy: str) -> None:
    (found,) = refused_disk(inputs)
    assert found.path == path
    assert remedy in found.remedy


def local_root(gib: Any) -> dict[str, Any]:
    return {"storageProfile": {"osDisk": {"diskSizeGB": gib, "diffDiskSettings": {"option": "Local"}}}}


@pytest.mark.parametrize(
    ("machine", "remedy"),
    [
        (
            "Standard_D2ads_v5",
            "write virtualMachineProfile.storageProfile.osDisk.diskSizeGB: 75; or leave it out",
        ),
        ("Standard_D16s_v5", "leave it out"),
    ],
)
def test_a_root_disk_that_does_not_fit_is_found(machine: str, remedy: str) -> None:
    (found,) = scale_set_disk({"sku": {"name": machine}, "virtualMachineProfile": local_root(128)})
    assert found.path == "virtualMachineProfile.storageProfile.osDisk.diffDiskSettings"
    assert found.remedy == remedy


def test_root_disk_of_a_type_that_cannot_boot_is_found() -> None:
    root = {"osDisk": {"managedDisk": {"storageAccountType": "PremiumV2_LRS"}}}
    (found,) = scale_set_disk({"virtualMachineProfile": {"storageProfile": root}})
    assert found.path == "virtualMachineProfile.storageProfile.osDisk.managedDisk.storageAccountType"
    assert found.remedy == "use Premium_LRS; or use StandardSSD_LRS"


@pytest.mark.parametrize(
    ("check", "inputs"),
    [
        (refused_disk, {"sku": UNKNOWN, "diskIOPSReadWrite": 5000}),
        (
            refused_disk,
            {"sku": {"name": "Premium_LRS"}, "diskSizeGB": UNKNOWN, "diskIOPSReadWrite": UNKNOWN},
        ),
        (
            refused_disk,
            {"sku": {"name": "PremiumV2_LRS"}, "location": "eastus", "zones": ["1"], "diskSizeGB": 64},
        ),
        (refused_disk, {"sku": {"name": "Ultra_LRS"}}),  # in the SDK's enumeration, but not in the catalogue
        (refused_disk, {}),
        (scale_set_disk, {"virtualMachineProfile": UNKNOWN}),
        (scale_set_disk, {"sku": {"name": "Standard_HB176rs_v4"}, "virtualMachineProfile": local_root(128)}),
        (scale_set_disk, {"sku": {"name": "Standard_HB176rs_v4"}, "virtualMachineProfile": local_root(UNKNOWN)}),
        (scale_set_disk, {"sku": {"name": "Standard_HC44rs"}, "virtualMachineProfile": local_root(4000)}),
        (scale_set_disk, {}),
    ],
)
def test_unknown_inputs_are_not_refused(check: Any, inputs: dict[str, Any]) -> None:
    assert list(check(inputs)) == []
