"""Limits of Managed Lustre, for rules, components and checks of inputs."""

from typing import Any

import pytest
from catalog.present import present
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.catalog.level import Level
from hpc_components.gcp.lustre.offer import (
    LustreOrder,
    growth_limit_gib,
    nearest_sizes,
    refusals,
    tier_of,
    tiers,
)

TIERS = st.sampled_from(tiers())
SIZE_GIVEN, STEP, MAXIMUM = "HPC-GML-001", "HPC-GML-002", "HPC-GML-003"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ({"throughput": 1000, "size_gib": 9000}, []),
        ({"throughput": 1000, "size_gib": 1_530_000}, []),
        ({"throughput": 1000, "size_gib": 1_584_000}, []),  # 22 steps of 72,000
        ({"throughput": 500, "size_gib": 20_016_000}, []),
        ({"throughput": 125, "size_gib": 144_000}, []),
        ({"throughput": 1000, "size_gib": 10_000}, [(STEP, 18_000, 9000)]),
        ({"throughput": 1000, "size_gib": 4000}, [(STEP, 9000, None)]),
        ({"throughput": 1000, "size_gib": 1_539_000}, [(STEP, 1_584_000, 1_530_000)]),
        ({"throughput": 1000, "size_gib": 10_080_000}, [(MAXIMUM, 10_008_000, None)]),
        ({"throughput": 1000, "size_gib": 10_080_001}, [(MAXIMUM, 10_008_000, None)]),
        ({"throughput": 125, "size_gib": 12_312_000}, [(MAXIMUM, 12_240_000, None)]),
        ({"throughput": 125, "size_gib": 12_312_001}, [(MAXIMUM, 12_240_000, None), (STEP, 12_384_000, 12_312_000)]),
        ({"throughput": 250}, [(SIZE_GIVEN, 36_000, None)]),
        ({"throughput": 200, "size_gib": 9000}, []),  # the component and the input's values refuse it
        ({"size_gib": 9000}, []),
    ],
)
def test_order_is_judged_as_sold(order: dict[str, Any], expected: list[tuple[str, int, int | None]]) -> None:
    found = refusals(LustreOrder(**order))
    assert [(each.limit.id, each.changes["size_gib"], each.alternative.get("size_gib")) for each in found] == expected


def test_unsure_maximum_is_warned_about() -> None:
    (found,) = refusals(LustreOrder(throughput=125, size_gib=12_312_000))
    assert found.level is Level.WARNING


@given(TIERS, st.integers(1, 21_000_000))
def test_the_nearest_sizes_of_lustre_are_sold_and_around_the_wanted_one(tier, gib):
    near = nearest_sizes(tier, gib)
    assert near
    assert all(tier.allows(size) for size in near)
    assert list(near) == sorted(near)
    if tier.allows(gib):
        assert near == (gib,)
    else:
        assert near[-1] > gib
        assert len(near) == 1 or near[0] < gib
        assert not any(tier.allows(between) for between in range(gib - 50, gib + 50) if near[0] < between < near[-1])


@given(TIERS, st.integers(1, 1000))
def test_what_was_made_small_stays_below_the_threshold(tier, steps):
    made = min(steps * tier.step_gib, tier.max_gib)
    limit = growth_limit_gib(tier, made)
    assert made <= limit <= tier.max_gib
    assert (limit < tier.max_gib) == (tier.threshold_gib is not None and made <= tier.threshold_gib)


def test_the_largest_of_125_is_unsure():
    assert [tier.throughput for tier in tiers() if "max_gib" in tier.unsure] == [125]
    assert present(tier_of(1000)).step(9000) == 9000
