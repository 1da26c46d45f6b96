"""What Managed Lustre and Cloud Storage sell: rules, components and input checks all ask here."""

from typing import Any

import pytest
from catalog.present import present
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.catalog.refusal import Why
from hpc_components.gcp.catalog.lifecycle import (
    BucketOrder,
    bucket_refusals,
    classes,
    cold_storage,
    days_kept,
    lifecycle_refusals,
)
from hpc_components.gcp.catalog.lustre import (
    LustreOrder,
    growth_limit_gib,
    lustre_refusals,
    lustre_tier,
    lustre_tiers,
    nearest_lustre_sizes,
)

TIERS = st.sampled_from(lustre_tiers())


def lustre(**order: Any) -> list[tuple[str, Why, str | None, tuple]]:
    return [(r.field, r.why, r.because_of, tuple(r.allowed)) for r in lustre_refusals(LustreOrder(**order))]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ({"throughput": 1000, "size_gib": 9000}, []),
        ({"throughput": 1000, "size_gib": 1_530_000}, []),
        ({"throughput": 1000, "size_gib": 1_584_000}, []),  # 22 steps of 72,000
        ({"throughput": 500, "size_gib": 20_016_000}, []),
        ({"throughput": 125, "size_gib": 144_000}, []),
        ({"throughput": 1000, "size_gib": 10_000}, [("size_gib", Why.NOT_SOLD, None, (9000, 18_000))]),
        ({"throughput": 1000, "size_gib": 4000}, [("size_gib", Why.NOT_SOLD, None, (9000,))]),
        ({"throughput": 1000, "size_gib": 1_539_000}, [("size_gib", Why.NOT_SOLD, None, (1_530_000, 1_584_000))]),
        ({"throughput": 125, "size_gib": 12_312_000}, [("size_gib", Why.NOT_SOLD, None, (12_240_000,))]),
        ({"throughput": 250}, [("size_gib", Why.MISSING, None, (36_000,))]),
        ({"throughput": 200, "size_gib": 9000}, [("throughput", Why.NOT_SOLD, None, (125, 250, 500, 1000))]),
        ({"size_gib": 9000}, [("throughput", Why.MISSING, None, (125, 250, 500, 1000))]),
        (
            {"throughput": 250, "size_gib": 6_336_000, "grows_from_gib": 36_000},
            [("size_gib", Why.NOT_SOLD, "grows_from_gib", (36_000, 6_120_000))],
        ),
        (
            {"throughput": 250, "size_gib": 36_000, "grows_from_gib": 72_000},
            [("size_gib", Why.NOT_SOLD, "grows_from_gib", (72_000, 6_120_000))],
        ),
        ({"throughput": 250, "size_gib": 72_000, "grows_from_gib": 36_000, "services_prefix": 22}, []),
        (
            {"throughput": 1000, "size_gib": 9000, "services_prefix": 25},
            [("services_prefix", Why.NOT_SOLD, None, (23,))],
        ),
    ],
)
def test_a_lustre_order_is_judged_as_google_sells_it(order, expected):
    assert lustre(**order) == expected


@given(TIERS, st.integers(1, 21_000_000))
def test_the_nearest_sizes_of_lustre_are_sold_and_around_the_wanted_one(tier, gib):
    near = nearest_lustre_sizes(tier, gib)
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
    assert [tier.throughput for tier in lustre_tiers() if "max_gib" in tier.unsure] == [125]
    assert present(lustre_tier(1000)).step(9000) == 9000


@pytest.mark.parametrize(
    ("archive", "expire", "expected"),
    [
        ({}, None, []),
        ({"nearline": 30, "coldline": 90, "archive": 365}, 400, []),
        ({"glacier": 30}, None, [("glacier", Why.UNKNOWN, None)]),
        ({"nearline": 1.5}, None, [("nearline", Why.NOT_SOLD, None)]),
        ({"nearline": 90, "coldline": 90}, None, [("coldline", Why.NOT_TAKEN, "nearline")]),
        ({"archive": 180}, 180, [("expire", Why.NOT_TAKEN, "archive")]),
        ({}, 0.5, [("expire", Why.NOT_SOLD, None)]),
    ],
)
def test_wrong_ages_of_objects_are_refused(archive, expire, expected):
    assert [(r.field, r.why, r.because_of) for r in lifecycle_refusals(archive, expire)] == expected


def test_bucket_options_that_exclude_one_another_are_refused():
    both = BucketOrder(archive={"nearline": 30}, autoclass=True, folders=True, versioning=True)
    assert [(r.field, r.because_of) for r in bucket_refusals(both)] == [
        ("archive", "autoclass"),
        ("versioning", "folders"),
    ]
    assert not [*bucket_refusals(BucketOrder(autoclass=True, versioning=True))]
    assert not [*bucket_refusals(BucketOrder(archive={"archive": 90}, folders=True))]


def test_storage_classes_go_from_warm_to_cold():
    assert list(classes()) == ["nearline", "coldline", "archive"]
    assert [days_kept(name) for name in classes()] == [30, 90, 365]
    assert cold_storage().service == "Cloud Storage"
