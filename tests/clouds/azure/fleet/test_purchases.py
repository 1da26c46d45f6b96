"""Purchase options of machines, and groups of machines."""

from typing import Any

import pytest
from catalog.present import held
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.azure.catalog.capacity import (
    CapacityOrder,
    GroupOrder,
    capacity_refusals,
    group_refusals,
    is_reservable,
    most_in_group,
)
from hpc_components.catalog import machines
from hpc_components.catalog.refusal import Why

HB, D, NC, HX = (
    held("azure", f"Standard_{name}") for name in ("HB176rs_v4", "D16s_v6", "NC24ads_A100_v4", "HX176rs")
)


def bought(**order: Any) -> list[tuple[str, Why, str | None]]:
    return [(one.field, one.why, one.because_of) for one in capacity_refusals(CapacityOrder(**order))]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ({"machine": HB, "fabric": True}, []),
        ({"machine": HB, "fabric": True, "availability_set": True}, []),
        ({"machine": HB, "fabric": True, "purchase": "spot"}, []),
        ({"machine": D, "purchase": "reservation"}, []),
        ({"machine": HX, "purchase": "reservation"}, []),  # no source says
        ({"machine": D, "fabric": True}, [("fabric", Why.NOT_SOLD, "machine")]),
        (
            {"machine": D, "purchase": "spot", "availability_set": True},
            [("purchase", Why.NOT_TAKEN, "availability_set")],
        ),
        ({"machine": HB, "purchase": "reservation"}, [("purchase", Why.NOT_SOLD, "machine")]),
        (
            {"machine": HX, "purchase": "reservation", "fabric": True},
            [("purchase", Why.NOT_TAKEN, "fabric")],
        ),
        (
            {"machine": NC, "purchase": "reservation", "availability_set": True, "proximity_group": True},
            [("purchase", Why.NOT_TAKEN, "availability_set"), ("purchase", Why.NOT_TAKEN, "proximity_group")],
        ),
    ],
)  # fmt: skip
def test_a_purchase_is_judged_as_azure_sells_it(order, expected):
    assert bought(**order) == expected


@pytest.mark.parametrize(
    ("name", "able"),
    [
        ("HB368rs_v5", False), ("HC44rs", False), ("HX176rs", None), ("ND96isr_H100_v5", False),
        ("ND96asr_v4", False), ("NC40ads_H100_v5", False), ("NC96ads_A100_v4", True), ("NC64as_T4_v3", True),
        ("NV36ads_A10_v5", True),
        ("D2s_v5", True), ("E64ps_v6", True), ("F64as_v6", True), ("FX96mds_v2", True),
    ],
)  # fmt: skip
def test_only_some_capacity_can_be_reserved(name, able):
    assert is_reservable(held("azure", f"Standard_{name}")) is able


def test_no_machine_with_a_fabric_can_surely_be_reserved():
    assert not [each.name for each in machines("azure") if each.has_fabric and is_reservable(each)]


def grouped(**order: Any) -> list[tuple[str, Why, str | None, list[int]]]:
    return [(one.field, one.why, one.because_of, [*one.allowed]) for one in group_refusals(GroupOrder(**order))]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ({"nodes": 100, "fabric": True}, []),
        ({"nodes": 300, "fabric": True, "limit": 300}, []),
        ({"nodes": 1000, "zones": 3}, []),
        ({"nodes": 200, "fabric": True, "availability_set": True, "zones": 0}, []),
        ({"nodes": 101, "fabric": True}, [("nodes", Why.NOT_SOLD, "limit", [100])]),
        ({"nodes": 301, "fabric": True}, [("nodes", Why.NOT_SOLD, None, [100])]),
        ({"nodes": 201, "fabric": True, "limit": 200}, [("nodes", Why.NOT_SOLD, "limit", [200])]),
        ({"nodes": 10, "fabric": True, "limit": 301}, [("limit", Why.NOT_SOLD, None, [100, 300])]),
        ({"nodes": 10, "fabric": True, "limit": 0}, [("limit", Why.NOT_SOLD, None, [100, 300])]),
        ({"nodes": 10, "limit": 300}, [("limit", Why.NOT_TAKEN, "fabric", [])]),
        (
            {"nodes": 1001, "limit": 300},
            [("limit", Why.NOT_TAKEN, "fabric", []), ("nodes", Why.NOT_SOLD, None, [1000])],
        ),
        ({"nodes": 1001}, [("nodes", Why.NOT_SOLD, None, [1000])]),
        ({"nodes": 10, "fabric": True, "zones": 2}, [("zones", Why.NOT_TAKEN, "fabric", [1])]),
        ({"nodes": 201, "availability_set": True, "zones": 0}, [("nodes", Why.NOT_SOLD, None, [200])]),
        ({"nodes": 10, "availability_set": True}, [("zones", Why.NOT_TAKEN, "availability_set", [0])]),
        (
            {"nodes": 10, "fabric": True, "availability_set": True, "zones": 0, "limit": 300},
            [("limit", Why.NOT_TAKEN, "availability_set", [])],
        ),
    ],
)
def test_a_placement_is_judged_as_azure_groups_machines(order, expected):
    assert grouped(**order) == expected


@given(st.integers(1, 1200), st.booleans(), st.none() | st.integers(1, 300), st.booleans())
def test_what_is_not_refused_fits(nodes, fabric, limit, availability_set):
    order = {"nodes": nodes, "fabric": fabric, "limit": limit, "availability_set": availability_set, "zones": 0}
    if not grouped(**order):
        assert nodes <= most_in_group(fabric=fabric, availability_set=availability_set, raised=limit is not None)
