"""Orders of Managed Lustre that Azure accepts and refuses."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.azure.lustre.offer import (
    LustreOrder,
    is_offered,
    lustre_tier,
    lustre_tiers,
    maintenance_window,
    nearest_sizes,
    refusals,
    subnet_prefix,
)
from hpc_components.catalog.level import Level

SOLD: dict[str, Any] = {"throughput": 250, "size_tib": 24, "subnet_prefix": 24, "maintenance": "Sunday 03:00"}
THROUGHPUTS = [40, 125, 250, 500]
BLOBS = "https://hpcdata.blob.core.windows.net"
LINKED = SOLD | {"bucket": f"{BLOBS}/data/in", "log_bucket": f"{BLOBS}/log"}


def refused(**order: Any) -> list[tuple[str, str, str | None, dict[str, Any]]]:
    found = refusals(LustreOrder(**order))
    return [(each.limit.id[-3:], each.field, each.conflicts_with, dict(each.changes)) for each in found]


@pytest.mark.parametrize(
    "order",
    [
        SOLD,
        {"throughput": 40, "size_tib": 48},
        LINKED,
        LINKED | {"auto_import": ("deleted", "new")},
        LINKED | {"auto_export": ("changed", "new")},
    ],
)
def test_an_order_that_managed_lustre_sells_is_accepted(order):
    assert refused(**order) == []


DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (SOLD | {"throughput": 200}, ("002", "throughput", None, {})),
        (SOLD | {"size_tib": None}, ("001", "size_tib", None, {"size_tib": 8})),
        (SOLD | {"size_tib": 20}, ("002", "size_tib", None, {"size_tib": 24})),
        (SOLD | {"size_tib": 4}, ("002", "size_tib", None, {"size_tib": 8})),
        (SOLD | {"size_tib": 8.5}, ("002", "size_tib", None, {"size_tib": 16})),
        (SOLD | {"size_tib": 0}, ("002", "size_tib", None, {"size_tib": 8})),
        (SOLD | {"size_tib": 136}, ("003", "size_tib", None, {"size_tib": 128})),
        (SOLD | {"size_tib": 2056, "subnet_prefix": 16}, ("003", "size_tib", None, {"size_tib": 2048})),
        (SOLD | {"subnet_prefix": 27}, ("006", "subnet_prefix", "size_tib", {})),
        (SOLD | {"new_subnet_prefix": 27}, ("006", "new_subnet_prefix", None, {"new_subnet_prefix": 26})),
        (SOLD | {"maintenance": "monday 3:00"}, ("008", "maintenance", None, {"maintenance": "Monday 03:00"})),
        (LINKED | {"bucket": "s3://data"}, ("011", "bucket", None, {})),
        (LINKED | {"log_bucket": f"{BLOBS}/log?sig=a"}, ("011", "log_bucket", None, {})),
        (LINKED | {"log_bucket": f"{BLOBS}/log/a"}, ("012", "log_bucket", None, {"log_bucket": f"{BLOBS}/log"})),
        (LINKED | {"log_bucket": f"{BLOBS}/data"}, ("012", "log_bucket", "bucket", {})),
        (LINKED | {"log_bucket": "https://other.blob.core.windows.net/log"}, ("012", "log_bucket", "bucket", {})),
        (LINKED | {"auto_import": ("created", "new")}, ("013", "auto_import", None, {})),
        (LINKED | {"auto_export": ("changed", "deleted", "new")}, ("013", "auto_export", None, {})),
        (
            LINKED | {"auto_import": ("deleted",)},
            ("013", "auto_import", None, {"auto_import": ("new", "deleted")}),
        ),
        (
            LINKED | {"auto_export": ("changed",)},
            ("013", "auto_export", None, {"auto_export": ("new", "changed")}),
        ),
        (
            LINKED | {"auto_import": ("new",), "auto_export": ("new", "changed")},
            ("013", "auto_import", "auto_export", {"auto_export": ()}),
        ),
    ],
)
def test_an_order_that_managed_lustre_refuses_names_the_field(order, expected):
    assert refused(**order) == [expected]


def test_only_a_limit_that_can_be_raised_or_is_estimated_warns():
    levels = {each.limit.id[-3:]: each.level for each in refusals(LustreOrder(**SOLD | {"size_tib": 768}))}
    assert levels == {"003": Level.WARNING, "006": Level.WARNING}


@pytest.mark.parametrize(
    ("tib", "prefix"),
    [(4, 27), (16, 27), (20, 26), (40, 26), (44, 25), (96, 24), (196, 24), (400, 23), (512, 22), (768, 21)],
)
def test_a_larger_lustre_needs_a_larger_subnet(tib, prefix):
    assert subnet_prefix(tib) == prefix


@given(st.floats(0.1, 20000), st.floats(0.1, 20000))
def test_a_larger_file_system_needs_no_smaller_subnet(one, other):
    assert (subnet_prefix(max(one, other))) <= subnet_prefix(min(one, other))


@given(st.sampled_from(lustre_tiers()), st.integers(-5, 900))
def test_a_size_that_is_proposed_is_sold_and_next_to_the_wanted_one(tier, tib):
    near = nearest_sizes(tier, tib)
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


def test_regions_that_a_page_names_are_known():
    assert is_offered("eastus")
    assert is_offered("westus") is None
