"""What Managed Lustre sells: rules, arguments of the component and input checks all ask this one place."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.azure.catalog.blob_urls import BlobUrl
from hpc_components.azure.catalog.lustre import (
    LustreOrder,
    link_refusals,
    lustre_refusals,
    lustre_sold,
    lustre_subnet_prefix,
    lustre_tier,
    lustre_tiers,
    maintenance_window,
    nearest_lustre_sizes,
)
from hpc_components.catalog.refusal import Why

SOLD: dict[str, Any] = {
    "throughput": 250,
    "size_tib": 24,
    "zones": 1,
    "subnet_prefix": 24,
    "maintenance": "Sunday 03:00",
}
THROUGHPUTS = [40, 125, 250, 500]
DATA = BlobUrl(account="hpcdata", container="data", prefix="in/")


def refused(**order: Any) -> list[tuple[str, Why, str | None, list[Any]]]:
    return [(one.field, one.why, one.because_of, [*one.allowed]) for one in lustre_refusals(LustreOrder(**order))]


@pytest.mark.parametrize("order", [SOLD, SOLD | {"zones": 0}, {"throughput": 40, "size_tib": 48}])
def test_an_order_that_managed_lustre_sells_is_accepted(order):
    assert refused(**order) == []


DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (SOLD | {"throughput": None}, ("throughput", Why.MISSING, None, THROUGHPUTS)),
        (SOLD | {"throughput": 200}, ("throughput", Why.NOT_SOLD, None, THROUGHPUTS)),
        (SOLD | {"size_tib": None}, ("size_tib", Why.MISSING, None, [8])),
        (SOLD | {"size_tib": 20}, ("size_tib", Why.NOT_SOLD, None, [16, 24])),
        (SOLD | {"size_tib": 4}, ("size_tib", Why.NOT_SOLD, None, [8])),
        (SOLD | {"size_tib": 8.5}, ("size_tib", Why.NOT_SOLD, None, [8, 16])),
        (SOLD | {"size_tib": 0}, ("size_tib", Why.NOT_SOLD, None, [8])),
        (SOLD | {"size_tib": 136}, ("size_tib", Why.NOT_SOLD, "quota", [128])),
        (SOLD | {"size_tib": 2056, "subnet_prefix": 16}, ("size_tib", Why.NOT_SOLD, "quota", [2048])),
        (SOLD | {"zones": 2}, ("zones", Why.NOT_SOLD, None, [1])),
        (SOLD | {"subnet_prefix": 27}, ("subnet_prefix", Why.NOT_SOLD, "size_tib", [26])),
        (SOLD | {"maintenance": "sunday 3:00"}, ("maintenance", Why.UNKNOWN, None, DAYS)),
    ],
)
def test_an_order_that_managed_lustre_refuses_names_the_field(order, expected):
    assert refused(**order) == [expected]


@pytest.mark.parametrize(
    ("tib", "prefix"),
    [(4, 27), (16, 27), (20, 26), (40, 26), (44, 25), (96, 24), (196, 24), (400, 23), (512, 22), (768, 21)],
)
def test_a_larger_lustre_needs_a_larger_subnet(tib, prefix):
    assert lustre_subnet_prefix(tib) == prefix


@given(st.floats(0.1, 20000), st.floats(0.1, 20000))
def test_a_larger_file_system_needs_no_smaller_subnet(one, other):
    assert (lustre_subnet_prefix(max(one, other))) <= lustre_subnet_prefix(min(one, other))


@given(st.sampled_from(lustre_tiers()), st.integers(-5, 900))
def test_a_size_that_is_proposed_is_sold_and_next_to_the_wanted_one(tier, tib):
    near = nearest_lustre_sizes(tier, tib)
    assert all(tier.allows(size) for size in near)
    assert all(abs(size - tib) < tier.step_tib for size in near) or tib <= 0
    assert (near == (tib,)) is tier.allows(tib)


@given(st.sampled_from(THROUGHPUTS), st.integers(0, 300))
def test_what_is_not_refused_is_a_step_within_the_limit(throughput, tib):
    tier = lustre_tier(throughput)
    assert tier is not None
    sold = not refused(throughput=throughput, size_tib=tib)
    assert sold is (tib in range(tier.step_tib, tier.max_tib + 1, tier.step_tib))


def test_a_tier_is_ordered_by_its_sku():
    assert [tier.sku for tier in lustre_tiers()] == [f"AMLFS-Durable-Premium-{each}" for each in THROUGHPUTS]
    assert all("max_tib" in tier.unsure for tier in lustre_tiers())


@given(st.sampled_from(DAYS), st.integers(0, 23), st.integers(0, 59))
def test_a_maintenance_window_is_a_day_and_a_time(day, hour, minute):
    window = maintenance_window(f"{day} {hour:02}:{minute:02}")
    assert window is not None
    assert (window.day, window.time_utc) == (day, f"{hour:02}:{minute:02}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sunday",
        "03:00",
        "Sunday 24:00",
        "Sunday 3:00",
        "Sunday 03:60",
        "Sun 03:00",
        "Sunday  03:00",
        "Sunday 03:00 UTC",
    ],
)
def test_a_wrong_maintenance_window_is_not_read(text):
    assert maintenance_window(text) is None


def linked(log: BlobUrl) -> list[tuple[str, Why, str | None]]:
    return [(one.field, one.why, one.because_of) for one in link_refusals(DATA, log)]


def test_the_log_of_a_link_has_a_container_of_its_own_in_the_same_account():
    assert linked(BlobUrl(account="hpcdata", container="log")) == []
    assert linked(BlobUrl(account="hpcdata", container="data")) == [("log_bucket", Why.NOT_TAKEN, "bucket")]
    assert linked(BlobUrl(account="other", container="log")) == [("log_bucket", Why.NOT_TAKEN, "bucket")]
    assert linked(BlobUrl(account="hpcdata", container="log", prefix="x")) == [("log_bucket", Why.NOT_SOLD, None)]


def test_regions_that_a_page_names_are_known():
    assert lustre_sold("eastus")
    assert lustre_sold("westus") is None
