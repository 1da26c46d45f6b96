"""Orders of Azure Files and NetApp Files that Azure accepts and refuses."""

from typing import Any

import pytest

from hpc_components.azure.home.offer import (
    LIMITS,
    HomeOrder,
    mibps,
    netapp_levels,
    netapp_pool_tib,
    refusals,
    sizes,
)


def refused(**order: Any) -> list[tuple[str, str, str | None, dict[str, Any]]]:
    found = refusals(HomeOrder(**order))
    return [(each.limit.id[-3:], each.field, each.conflicts_with, dict(each.changes)) for each in found]


@pytest.mark.parametrize(
    "order",
    [
        {"service": "files", "size_gib": 100, "deleted_share_days": 7}, {"service": "files", "size_gib": 102400},
        {"service": "netapp", "size_gib": 4096, "level": "ultra", "snapshot_days": 30, "subnet_prefix": 28},
        {"service": "netapp", "size_gib": 102401, "large": True},
    ],
)  # fmt: skip
def test_orders_that_are_sold_are_accepted(order):
    assert refused(**order) == []


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ({"service": "files"}, ("001", "size_gib", None, {"size_gib": 1024})),
        ({"service": "files", "size_gib": 99}, ("002", "size_gib", None, {"size_gib": 100})),
        ({"service": "files", "size_gib": 100.5}, ("002", "size_gib", None, {"size_gib": 101})),
        ({"service": "files", "size_gib": 102401}, ("002", "size_gib", None, {"size_gib": 102400})),
        ({"service": "files", "size_gib": 100, "level": "premium"}, ("003", "level", "service", {"level": None})),
        (
            {"service": "files", "size_gib": 100, "deleted_share_days": 366},
            ("004", "deleted_share_days", None, {"deleted_share_days": 365}),
        ),
        (
            {"service": "files", "size_gib": 100, "snapshot_days": 7},
            ("009", "snapshot_days", "service", {"snapshot_days": None}),
        ),
        ({"service": "netapp", "size_gib": 49}, ("002", "size_gib", None, {"size_gib": 50})),
        ({"service": "netapp", "size_gib": 102401}, ("002", "size_gib", None, {"size_gib": 102400})),
        ({"service": "netapp", "size_gib": 1024, "level": "flexible"}, ("003", "level", None, {})),
        (
            {"service": "netapp", "size_gib": 1024, "snapshot_days": 300},
            ("004", "snapshot_days", None, {"snapshot_days": 255}),
        ),
        (
            {"service": "netapp", "size_gib": 1024, "deleted_share_days": 7},
            ("009", "deleted_share_days", "service", {"deleted_share_days": None}),
        ),
        ({"service": "netapp", "size_gib": 1024, "subnet": False}, ("005", "subnet", "service", {})),
        ({"service": "netapp", "size_gib": 1024, "subnet_prefix": 29}, ("005", "subnet_prefix", None, {})),
    ],
)
def test_orders_that_are_not_sold_are_refused(order, expected):
    assert refused(**order) == [expected]


@pytest.mark.parametrize(
    "order",
    [
        {"service": "files", "size_gib": 1}, {"service": "netapp", "size_gib": 2_000_000},
        {"service": "files", "size_gib": 100, "snapshot_days": 7, "level": "ultra"},
        {"service": "netapp", "size_gib": 100, "snapshot_days": 0.5, "deleted_share_days": 2},
        {"service": "files", "size_gib": 100, "deleted_share_days": 900},
    ],
)  # fmt: skip
def test_changed_orders_are_sold(order):
    for remedy in ("changes", "alternative"):
        changed = dict(order)
        for each in refusals(HomeOrder(**order)):
            changed |= getattr(each, remedy) or each.changes
        assert refused(**changed) == []


def test_an_unknown_level_is_refused_with_those_that_exist():
    (found,) = refusals(HomeOrder(service="netapp", size_gib=1024, level="flexible"))
    assert found.advice == "use standard, premium or ultra"


def test_limits_are_errors_with_ids_of_their_own():
    assert len({limit.id for limit in LIMITS}) == len(LIMITS)
    assert {str(limit.level) for limit in LIMITS} == {"error"}


def test_sizes_are_those_of_the_service():
    assert [(sizes(service)[0], sizes(service)[-1]) for service in ("files", "netapp")] == [
        (100, 102400),
        (50, 102400),
    ]
    assert sizes("netapp", large=True)[-1] == 2_457_600


def test_netapp_files_is_as_fast_as_it_is_large():
    assert [mibps("netapp", 4096, level) for level in netapp_levels()] == [64, 256, 512]
    assert [netapp_pool_tib(gib) for gib in (50, 1024, 1025)] == [1, 1, 2]
    with pytest.raises(KeyError):
        mibps("netapp", 1024, "flexible")
