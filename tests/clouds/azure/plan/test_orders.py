"""Recorded inputs that Azure refuses are found, except for unknown values."""

from typing import Any

import pytest

from hpc_components.azure.lustre.plan import lustre
from hpc_components.azure.plan.inputs.orders import disk, scale_set_disk
from hpc_components.azure.plan.inputs.relations import RELATIONS, tags
from hpc_components.azure.plan.inputs.scale_sets import scale_set
from hpc_components.preview.resources import UNKNOWN

V2, PROFILE = {"name": "PremiumV2_LRS"}, "virtualMachineProfile"


def local_root(gib: Any) -> dict[str, Any]:
    return {"storageProfile": {"osDisk": {"diskSizeGB": gib, "diffDiskSettings": {"option": "Local"}}}}


@pytest.mark.parametrize(
    ("machine", "path", "remedy"),
    [
        ("Standard_D2ads_v5", "diskSizeGB", "use at most 75"),
        ("Standard_D16s_v5", "diffDiskSettings", "leave it out"),
    ],
)
def test_a_root_disk_that_does_not_fit_is_found(machine: str, path: str, remedy: str) -> None:
    (found,) = scale_set_disk({"sku": {"name": machine}, PROFILE: local_root(128)})
    assert (found.path, found.remedy) == (f"{PROFILE}.storageProfile.osDisk.{path}", remedy)


@pytest.mark.parametrize(
    ("inputs", "path", "remedy"),
    [
        ({"sku": {"name": "Premium_LRS"}, "diskIOPSReadWrite": 5000}, "diskIOPSReadWrite", "leave it out"),
        ({"sku": V2, "diskSizeGB": 4, "diskIOPSReadWrite": 80_001}, "diskIOPSReadWrite", "3000 to "),
        ({"sku": V2, "diskMBpsReadWrite": 100}, "diskMBpsReadWrite", "125 to "),
        ({"sku": V2, "diskIOPSReadWrite": 3000, "diskMBpsReadWrite": 1000}, "diskMBpsReadWrite", "125 to 750"),
        ({"sku": V2, "location": "eastus", "diskSizeGB": 64}, "zones", "leave it out"),
    ],
)
def test_a_disk_that_azure_refuses_is_found(inputs: dict[str, Any], path: str, remedy: str) -> None:
    (found,) = disk(inputs)
    assert found.path == path
    assert remedy in found.remedy


@pytest.mark.parametrize(
    ("check", "inputs"),
    [
        (disk, {"sku": UNKNOWN, "diskIOPSReadWrite": 5000}),
        (disk, {"sku": {"name": "Premium_LRS"}, "diskSizeGB": UNKNOWN, "diskIOPSReadWrite": UNKNOWN}),
        (disk, {"sku": V2, "location": "eastus", "zones": ["1"], "diskSizeGB": 64}),
        (disk, {"sku": {"name": "Ultra_LRS"}}),  # in the SDK's enumeration, but not in the catalogue
        (lustre, {"sku": UNKNOWN, "storageCapacityTiB": 1}),
        (lustre, {"sku": {"name": "AMLFS-Durable-Premium-250"}}),
        (lustre, {"sku": {"name": "AMLFS-Durable-Premium-250"}, "storageCapacityTiB": UNKNOWN}),
        (lustre, {"sku": {"name": "AMLFS-Durable-Premium-500"}, "storageCapacityTiB": 512}),  # after a request
        (
            lustre,
            {"sku": {"name": "AMLFS-Durable-Premium-500"}, "storageCapacityTiB": 4096},
        ),  # more than any known limit
        (scale_set_disk, {PROFILE: UNKNOWN}),
        (scale_set_disk, {"sku": {"name": "Standard_HB176rs_v4"}, PROFILE: local_root(128)}),
        (scale_set_disk, {"sku": {"name": "Standard_HB176rs_v4"}, PROFILE: local_root(UNKNOWN)}),
        (scale_set_disk, {"sku": {"name": "Standard_HC44rs"}, PROFILE: local_root(4000)}),
        (scale_set, {"orchestrationMode": UNKNOWN, "singlePlacementGroup": UNKNOWN, "overprovision": True}),
        (scale_set, {"singlePlacementGroup": True, "zones": UNKNOWN, "sku": {"capacity": 300}}),
        (scale_set, {PROFILE: {"priority": "Spot", "evictionPolicy": "Delete", "billingProfile": {"maxPrice": -1}}}),
        (scale_set, {PROFILE: {"priority": "Spot", "billingProfile": {"maxPrice": UNKNOWN}}}),
        (scale_set, {PROFILE: UNKNOWN}),
        (tags, {"tags": UNKNOWN}),
        (tags, {"tags": {"Name": UNKNOWN}}),
    ],
)
def test_what_is_not_known_is_not_refused(check: Any, inputs: dict[str, Any]) -> None:
    assert list(check(inputs)) == []


@pytest.mark.parametrize("token", RELATIONS)
def test_a_resource_of_which_nothing_is_known_passes(token: str) -> None:
    assert [fault for check in RELATIONS[token] for fault in check({})] == []


def test_two_rules_of_one_direction_and_priority_are_one_fault() -> None:
    (check,) = RELATIONS["azure-native:network:NetworkSecurityGroup"]
    rules = [
        {"direction": direction, "priority": priority}
        for direction, priority in [("Inbound", 100), ("Outbound", 100), ("Inbound", 100), ("Inbound", UNKNOWN)]
    ]
    (found,) = check({"securityRules": rules})
    assert found.path == "securityRules[2].priority"
