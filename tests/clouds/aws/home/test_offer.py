"""The offer of FSx for OpenZFS."""

from typing import Any

import pytest
from catalog.present import present

from hpc_components.aws.home.offer import LIMITS, OpenZfsOrder, openzfs, openzfs_sold, refusals
from hpc_components.catalog import regions

HOME: dict[str, Any] = {"deployment": "single_az_1", "size_gib": 1024, "throughput": 128}
MULTI_AZ: dict[str, Any] = {"deployment": "multi_az_1", "throughput": 160}
FIRST = {"deployment": "single_az_1", "throughput": 256}


def refused(**order: Any) -> list[tuple[str, str, str | None, dict[str, Any]]]:
    found = refusals(OpenZfsOrder(**HOME | order))
    return [(each.limit.id[-3:], each.field, each.conflicts_with, dict(each.changes)) for each in found]


@pytest.mark.parametrize(
    "order",
    [
        {},
        {"size_gib": 64, "backup_days": 1, "zones": ("use2-az1",), "route_tables": False},
        {"size_gib": 524_288, "backup_days": 90},
        {"deployment": "single_az_2", "region": "us-east-1", "size_gib": 64, "throughput": None},
        MULTI_AZ | {"zones": ("use2-az1", "use2-az2"), "route_tables": True},
    ],
)
def test_an_order_that_fsx_sells_is_accepted(order):
    assert refused(**order) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"deployment": "multi_az_9"}, ("013", "deployment", None, {"deployment": "single_az_1", "throughput": 128})),
        (
            {"deployment": "single_az_2", "region": "ap-northeast-3", "throughput": None},
            ("013", "deployment", None, {"deployment": "single_az_1"}),
        ),
        (
            {"deployment": "single_az_2", "region": "ap-northeast-3", "throughput": 10240},
            ("013", "deployment", None, {"deployment": "single_az_1", "throughput": 4096}),
        ),
        ({"size_gib": None}, ("001", "size_gib", None, {"size_gib": 1024})),
        ({"size_gib": 63}, ("002", "size_gib", "deployment", {"size_gib": 64})),
        ({"size_gib": 64.5}, ("002", "size_gib", "deployment", {"size_gib": 65})),
        ({"size_gib": 524_289}, ("002", "size_gib", "deployment", {"size_gib": 524_288})),
        ({"throughput": 100}, ("003", "throughput", "deployment", {"throughput": 128})),
        ({"throughput": 0}, ("003", "throughput", "deployment", {"throughput": 64})),
        ({"throughput": 99_999}, ("003", "throughput", "deployment", {"throughput": 4096})),
        ({"backup_days": 91}, ("004", "backup_days", None, {"backup_days": 90})),
        ({"backup_days": 1.5}, ("004", "backup_days", None, {"backup_days": 2})),
        ({"zones": ("a", "b")}, ("005", "zones", "deployment", {})),
        (MULTI_AZ | {"zones": ("a",)}, ("005", "zones", "deployment", {})),
        ({"route_tables": True}, ("011", "route_tables", None, {"route_tables": None})),
        (MULTI_AZ | {"route_tables": False}, ("011", "route_tables", "deployment", {})),
    ],
)
def test_an_order_that_fsx_refuses_names_the_field(change, expected):
    assert refused(**change) == [expected]


@pytest.mark.parametrize(
    "order",
    [
        {"deployment": "multi_az_9", "throughput": 1},
        {"size_gib": 1, "throughput": 1, "backup_days": 400},
        {"deployment": "single_az_2", "region": "ap-northeast-3", "throughput": 320},
        MULTI_AZ | {"zones": ("a",), "route_tables": False},
    ],
)
def test_changed_orders_are_sold(order):
    changed = HOME | order
    for each in refusals(OpenZfsOrder(**changed)):
        changed |= each.changes or each.alternative
    assert refused(**changed) == []


def test_a_place_for_failover_has_an_order_without_it_as_a_remedy():
    found = refusals(OpenZfsOrder(**HOME | MULTI_AZ, zones=("a",), route_tables=False))
    assert [dict(each.alternative) for each in found] == [FIRST, FIRST]


def test_a_region_of_which_nothing_is_known_is_warned_about():
    (found,) = refusals(OpenZfsOrder(deployment="single_az_2", region="sa-east-1", size_gib=64))
    assert (found.limit.id, str(found.level)) == ("HPC-NFS-013", "warning")


def test_limits_are_errors_with_ids_of_their_own():
    assert len({limit.id for limit in LIMITS}) == len(LIMITS)
    assert {str(limit.level) for limit in LIMITS} == {"error"}


def test_an_openzfs_deployment_has_its_throughputs_and_sizes():
    assert present(openzfs("single_az_1")).throughputs[0] == 64
    assert 160 in present(openzfs("multi_az_1")).throughputs
    assert 128 not in present(openzfs("multi_az_1")).throughputs
    assert (present(openzfs("single_az_1")).min_gib, present(openzfs("single_az_1")).max_gib) == (64, 524_288)
    assert openzfs("multi_az_9") is None


@pytest.mark.parametrize(
    ("deployment", "region", "sold"),
    [
        ("single_az_2", "us-east-1", True),
        ("single_az_2", "ap-northeast-3", False),
        ("single_az_ha_2", "ca-west-1", False),
        ("single_az_2", "sa-east-1", None),
        ("single_az_1", "ap-northeast-3", True),
    ],
)
def test_openzfs_is_sold_in_some_regions(deployment, region, sold):
    assert openzfs_sold(deployment, region) is sold


def test_regions_without_openzfs_are_regions():
    for deployment in ("single_az_2", "single_az_ha_2"):
        doubtful = [region for region in regions("aws") if openzfs_sold(deployment, region) is not True]
        assert len(doubtful) == 16, doubtful
