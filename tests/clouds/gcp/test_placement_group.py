from typing import Any

import pulumi
import pytest
from both_modes import checked_preview

from clouds.gcp.sample import PROJECT, REGION, TAGS
from hpc_components.gcp.placement.component import PlacementGroup, PlacementGroupArgs


def args(**change: Any) -> PlacementGroupArgs:
    return PlacementGroupArgs(**{"project": PROJECT, "region": REGION, "tags": TAGS, **change})


def policy(**change: Any) -> dict[str, Any]:
    made = checked_preview(lambda: pulumi.export("policy", PlacementGroup("cfd-near", args(**change)).policy_id))
    inputs = made.one("gcp:compute/resourcePolicy:ResourcePolicy").inputs
    assert (inputs["region"], inputs["project"]) == (REGION, PROJECT)
    return {key: value for key, value in inputs.items() if key.endswith("Policy")}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, {"groupPlacementPolicy": {"collocation": "COLLOCATED"}}),
        ({"max_distance": 2}, {"groupPlacementPolicy": {"collocation": "COLLOCATED", "maxDistance": 2}}),
        ({"spread": 8}, {"groupPlacementPolicy": {"availabilityDomainCount": 8}}),
        (
            {"workload": "HIGH_THROUGHPUT", "max_distance": 1},
            {"workloadPolicy": {"type": "HIGH_THROUGHPUT", "maxTopologyDistance": "SUBBLOCK"}},
        ),
        ({"workload": "HIGH_AVAILABILITY"}, {"workloadPolicy": {"type": "HIGH_AVAILABILITY"}}),
    ],
)
def test_a_policy_is_for_nearness_spread_or_a_workload(change, expected):
    assert policy(**change) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_distance": 4}, "max_distance: must be 1, 2 or 3, not 4"),
        ({"spread": 9}, "spread: must be 1 to 8, not 9"),
        ({"spread": 4, "max_distance": 1}, "spread: can't be combined with max_distance or workload;"),
        (
            {"spread": 4, "workload": "HIGH_AVAILABILITY"},
            "spread: can't be combined with max_distance or workload;",
        ),
        ({"workload": "HIGH_AVAILABILITY", "max_distance": 1}, "can't be combined with HIGH_AVAILABILITY;"),
    ],
)
def test_arguments_that_google_would_refuse_are_refused(change, message):
    with pytest.raises(ValueError, match=f"PlacementGroupArgs.*{message}"):
        args(**change)
