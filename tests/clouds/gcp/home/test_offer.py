"""Limits of Filestore."""

from typing import Any

import pytest
from catalog.present import present
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.gcp.home.offer import (
    LIMITS,
    HomeOrder,
    limit,
    nearest_sizes,
    refusals,
    services_prefix,
    tier_named,
    tiers,
)

SIZES = {"basic_hdd": 1024, "basic_ssd": 2560, "zonal": 1024, "regional": 1024}


def refused(**order: Any) -> list[tuple[str, str, str | None, dict[str, Any], dict[str, Any]]]:
    found = refusals(HomeOrder(**order))
    return [
        (each.limit.id[-3:], each.field, each.conflicts_with, dict(each.changes), dict(each.alternative))
        for each in found
    ]


@pytest.mark.parametrize(
    "order",
    [
        {"tier": "basic_hdd", "size_gib": 1024},
        {"tier": "zonal", "size_gib": 1280, "zonal": True, "kms_key": True},
        {"tier": "zonal", "size_gib": 10_240}, {"tier": "regional", "size_gib": 100, "zonal": False},
    ],
)  # fmt: skip
def test_orders_that_are_sold_are_accepted(order):
    assert refused(**order) == []


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (
            {"tier": "basic_ssd", "size_gib": 2048},
            ("002", "size_gib", "tier", {"size_gib": 2560}, {"tier": "regional"}),
        ),
        (
            {"tier": "zonal", "size_gib": 512, "zonal": True},
            ("002", "size_gib", "tier", {"size_gib": 1024}, {"tier": "regional", "zonal": False}),
        ),
        ({"tier": "zonal", "size_gib": 50}, ("002", "size_gib", "tier", {"size_gib": 1024}, {})),
        ({"tier": "zonal", "size_gib": 1100}, ("002", "size_gib", "tier", {"size_gib": 1280}, {"size_gib": 1024})),
        (
            {"tier": "zonal", "size_gib": 10_000},
            ("002", "size_gib", "tier", {"size_gib": 10_240}, {"size_gib": 9984}),
        ),
        ({"tier": "zonal", "size_gib": 200_000}, ("002", "size_gib", "tier", {"size_gib": 102_400}, {})),
        ({"tier": "zonal"}, ("001", "size_gib", None, {"size_gib": 1024}, {})),
        (
            {"tier": "regional", "size_gib": 1024, "zonal": True},
            ("003", "zonal", "tier", {"zonal": False}, {"tier": "zonal"}),
        ),
        ({"tier": "regional", "size_gib": 100, "zonal": True}, ("003", "zonal", "tier", {"zonal": False}, {})),
        (
            {"tier": "zonal", "size_gib": 1024, "zonal": False},
            ("003", "zonal", "tier", {}, {"tier": "regional"}),
        ),
        (
            {"tier": "basic_hdd", "size_gib": 1024, "kms_key": True},
            ("004", "kms_key", "tier", {"tier": "zonal"}, {"kms_key": None}),
        ),
        (
            {"tier": "basic_hdd", "size_gib": 1025, "kms_key": True},
            ("004", "kms_key", "tier", {"kms_key": None}, {}),
        ),
    ],
)
def test_orders_that_are_not_sold_are_refused(order, expected):
    assert refused(**order) == [expected]


@given(
    st.sampled_from(tiers()), st.none() | st.integers(1, 120_000), st.sampled_from((None, True, False)), st.booleans()
)
def test_each_remedy_ends_its_refusal(tier, size, zonal, kms_key):
    order = {"tier": tier.tier, "size_gib": size, "zonal": zonal, "kms_key": kms_key}
    for refusal in refusals(HomeOrder(**order)):
        for remedy in filter(None, (refusal.changes, refusal.alternative)):
            changed = order | remedy
            changed["kms_key"] = bool(changed["kms_key"])
            after = [(each.limit, each.field) for each in refusals(HomeOrder(**changed))]
            assert (refusal.limit, refusal.field) not in after


def test_nothing_is_known_of_tiers_that_are_not_described():
    assert refused(tier="enterprise", size_gib=1) == []
    assert tier_named("gold") is None
    assert [tier.tier for tier in tiers()] == ["basic_hdd", "basic_ssd", "zonal", "regional"]


def test_a_doubtful_step_is_a_warning():
    levels = {
        gib: [str(each.level) for each in refusals(HomeOrder(tier="regional", size_gib=gib))] for gib in (99, 12_000)
    }
    assert levels == {99: ["error"], 12_000: ["warning"]}


@given(st.sampled_from(tiers()), st.integers(1, 120_000))
def test_nearest_sizes_are_sold_and_around_the_wanted_one(tier, gib):
    near = nearest_sizes(tier, gib)
    assert near
    assert all(tier.allows(size) for size in near)
    if not tier.allows(gib):
        assert not any(tier.allows(size) for size in range(max(near[0], gib - 300) + 1, gib))
        assert all(size != gib for size in near)


def test_ranges_are_whole_steps():
    for tier in tiers():
        assert all(least < most and (most - least) % step == 0 for least, most, step in tier.ranges), tier.tier
        assert tier.allows(SIZES[tier.tier])


def test_only_some_tiers_are_protected():
    assert [tier.tier for tier in tiers() if tier.protection] == ["zonal", "regional"]
    assert not present(tier_named("basic_hdd")).kms


def test_large_instances_take_a_larger_range_of_those_lent_to_google():
    assert (services_prefix(1024), services_prefix(limit("large_gib"))) == (26, 24)


def test_limits_are_errors_with_ids_of_their_own():
    assert len({each.id for each in LIMITS}) == len(LIMITS)
    assert {str(each.level) for each in LIMITS} == {"error"}
