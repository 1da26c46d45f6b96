"""Recorded inputs that Azure refuses are found, except for unknown values."""

from typing import Any

import pytest

from hpc_components.azure.fleet.plan import scale_set
from hpc_components.azure.lustre.plan import lustre
from hpc_components.azure.plan.inputs.relations import RELATIONS, tags
from hpc_components.preview.resources import UNKNOWN

PROFILE = "virtualMachineProfile"


@pytest.mark.parametrize(
    ("check", "inputs"),
    [
        (lustre, {"sku": UNKNOWN, "storageCapacityTiB": 1}),
        (lustre, {"sku": {"name": "AMLFS-Durable-Premium-250"}}),
        (lustre, {"sku": {"name": "AMLFS-Durable-Premium-250"}, "storageCapacityTiB": UNKNOWN}),
        (lustre, {"sku": {"name": "AMLFS-Durable-Premium-500"}, "storageCapacityTiB": 512}),  # after a request
        (
            lustre,
            {"sku": {"name": "AMLFS-Durable-Premium-500"}, "storageCapacityTiB": 4096},
        ),  # more than any known limit
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
