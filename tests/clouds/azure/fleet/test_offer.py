"""Purchase options of machines, and groups of machines."""

from typing import Any

import pytest
from catalog.present import held
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.azure.fleet.offer import CapacityOrder, GroupOrder, is_reservable, most_in_group, refusals
from hpc_components.catalog import machines

HB, D, NC, HX = (
    held("azure", f"Standard_{name}") for name in ("HB176rs_v4", "D16s_v6", "NC24ads_A100_v4", "HX176rs")
)


def bought(**order: Any) -> list[tuple[str, str, dict[str, Any], str]]:
    """Return id, field, remedy and level of each refusal."""
    found = refusals(CapacityOrder(**order))
    return [(each.limit.id, each.field, dict(each.changes), str(each.level)) for each in found]


RESERVED, GROUPED, SPOT = "HPC-RGP-001", "HPC-RGP-002", "HPC-CAP-017"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ({"machine": HB, "fabric": True}, []),
        ({"machine": HB, "fabric": True, "availability_set": True}, []),
        ({"machine": HB, "fabric": True, "purchase": "spot"}, []),
        ({"machine": D, "purchase": "reservation"}, []),
        ({"purchase": "reservation"}, []),
        (
            {"machine": HX, "purchase": "reservation"},  # no source says
            [(RESERVED, "machine", {"purchase": "on_demand"}, "warning")],
        ),
        (
            {"machine": D, "purchase": "spot", "availability_set": True},
            [(SPOT, "purchase", {"availability_set": False}, "error")],
        ),
        (
            {"machine": HB, "purchase": "reservation", "fabric": True},
            [(RESERVED, "machine", {"purchase": "on_demand"}, "error")],
        ),
        (
            {"machine": HX, "purchase": "reservation", "fabric": True},
            [
                (RESERVED, "machine", {"purchase": "on_demand"}, "warning"),
                (GROUPED, "purchase", {"fabric": False}, "error"),
            ],
        ),
        (
            {"machine": NC, "purchase": "reservation", "availability_set": True, "proximity_group": True},
            [
                (GROUPED, "purchase", {"proximity_group": False}, "error"),
                (GROUPED, "purchase", {"availability_set": False}, "error"),
            ],
        ),
    ],
)
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


def grouped(**order: Any) -> list[tuple[str, str, dict[str, Any], str]]:
    """Return id, field, remedy and level of each refusal."""
    found = refusals(GroupOrder(region="eastus", **order))
    return [(each.limit.id, each.field, dict(each.changes), str(each.level)) for each in found]


NODES, LIMIT, ZONES = "HPC-VSS-001", "HPC-VSS-002", "HPC-VSS-004"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ({"nodes": 100, "fabric": True}, []),
        ({"nodes": 300, "fabric": True, "limit": 300}, []),
        ({"nodes": 1000, "zones": ("eastus-1", "eastus-2", "eastus-3")}, []),
        ({"nodes": 200, "fabric": True, "availability_set": True, "zones": ("eastus",)}, []),
        ({"nodes": 101, "fabric": True}, [(NODES, "nodes", {"limit": 101}, "error")]),
        ({"nodes": 301, "fabric": True}, [(NODES, "nodes", {"nodes": 100}, "error")]),
        ({"nodes": 201, "fabric": True, "limit": 200}, [(NODES, "nodes", {"limit": 201}, "error")]),
        ({"nodes": 10, "fabric": True, "limit": 301}, [(LIMIT, "limit", {"limit": 300}, "error")]),
        ({"nodes": 10, "fabric": True, "limit": 0}, [(LIMIT, "limit", {"limit": 100}, "error")]),
        ({"nodes": 10, "limit": 300}, [(LIMIT, "limit", {"limit": None}, "warning")]),
        (
            {"nodes": 1001, "limit": 300},
            [(LIMIT, "limit", {"limit": None}, "warning"), (NODES, "nodes", {"nodes": 1000}, "error")],
        ),
        ({"nodes": 1001}, [(NODES, "nodes", {"nodes": 1000}, "error")]),
        ({"nodes": 201, "availability_set": True}, [(NODES, "nodes", {"nodes": 200}, "error")]),
        (
            {"nodes": 10, "availability_set": True, "zones": ("eastus-1",)},
            [(ZONES, "zones", {"zones": ["eastus"]}, "error")],
        ),
        (
            {"nodes": 10, "fabric": True, "availability_set": True, "limit": 300},
            [(LIMIT, "limit", {"limit": None}, "warning")],
        ),
    ],
)
def test_a_placement_is_judged_as_azure_groups_machines(order, expected):
    assert grouped(**order) == expected


@given(st.integers(1, 1200), st.booleans(), st.none() | st.integers(1, 300), st.booleans())
def test_what_is_not_refused_fits(nodes, fabric, limit, availability_set):
    order = {"nodes": nodes, "fabric": fabric, "limit": limit, "availability_set": availability_set}
    if not grouped(**order):
        assert nodes <= most_in_group(fabric=fabric, availability_set=availability_set, raised=limit is not None)
