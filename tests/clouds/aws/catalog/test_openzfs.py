from typing import Any

import pytest

from hpc_components.aws.catalog.openzfs import OpenZfsOrder, openzfs_refusals
from hpc_components.catalog.refusal import Why

HOME: dict[str, Any] = {"deployment": "single_az_1", "size_gib": 1024, "throughput": 128}


def test_an_order_that_fsx_sells_is_accepted():
    assert not [*openzfs_refusals(OpenZfsOrder(**HOME))]
    assert not [*openzfs_refusals(OpenZfsOrder(deployment="single_az_2", region="us-east-1", size_gib=64))]


def test_a_region_of_which_nobody_knows_is_not_refused():
    assert not [*openzfs_refusals(OpenZfsOrder(deployment="single_az_2", region="sa-east-1", size_gib=64))]


@pytest.mark.parametrize(
    ("change", "field", "why", "ends"),
    [
        ({"deployment": "multi_az_9"}, "deployment", Why.UNKNOWN, ("single_az_1", "multi_az_1")),
        (
            {"deployment": "single_az_2", "region": "ap-northeast-3", "throughput": None},
            "deployment", Why.NOT_SOLD, ("single_az_1", "single_az_1"),
        ),
        ({"size_gib": None}, "size_gib", Why.MISSING, (64, 524_288)),
        ({"size_gib": 63}, "size_gib", Why.NOT_SOLD, (64, 524_288)),
        ({"size_gib": 64.5}, "size_gib", Why.NOT_SOLD, (64, 524_288)),
        ({"throughput": 100}, "throughput", Why.NOT_SOLD, (64, 4096)),
        ({"backup_days": 91}, "backup_days", Why.NOT_SOLD, (1, 90)),
    ],
)  # fmt: skip
def test_an_order_that_fsx_refuses_names_the_field(change, field, why, ends):
    (refusal,) = openzfs_refusals(OpenZfsOrder(**HOME | change))
    assert (refusal.field, refusal.why) == (field, why)
    assert (refusal.allowed[0], refusal.allowed[-1]) == ends
