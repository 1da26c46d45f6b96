"""Managed disks and Blob storage: what Azure offers and refuses."""

from typing import Any

import pytest
from catalog.present import present
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.azure.catalog.disks import (
    DiskOrder,
    billed_gib,
    disk_refusals,
    disk_type,
    disk_types,
    most_disk_iops,
    most_disk_mbps,
)
from hpc_components.azure.catalog.lifecycle import days_kept, lifecycle_refusals, tiers
from hpc_components.catalog.refusal import Refusal, Why

V2: dict[str, Any] = {"type": "PremiumV2_LRS", "size_gib": 512, "iops": 8000, "throughput": 1000, "zone": "eastus-1"}
ROOT = ["Premium_LRS", "StandardSSD_LRS", "Standard_LRS", "Premium_ZRS", "StandardSSD_ZRS"]


def plain(found: list[Refusal]) -> list[tuple[str, Why, str | None, list[Any]]]:
    """The first and last values of a long range."""
    short = [[*one.allowed] if len(one.allowed) < 10 else [one.allowed[0], one.allowed[-1]] for one in found]
    return [(one.field, one.why, one.because_of, allowed) for one, allowed in zip(found, short, strict=True)]


def disk(**order: Any) -> list[tuple[str, Why, str | None, list[Any]]]:
    return plain([*disk_refusals(DiskOrder(**order))])


@pytest.mark.parametrize(
    "order",
    [
        V2, {"type": "Premium_LRS", "root": True, "size_gib": 64},
        {"type": "PremiumV2_LRS", "zone": "northcentralus"},
        {"type": "PremiumV2_LRS", "throughput": 750}, {"type": "StandardSSD_LRS", "size_gib": 32767},
    ],
)  # fmt: skip
def test_disks_that_are_sold_are_accepted(order):
    assert disk(**order) == []


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (V2 | {"root": True, "size_gib": 64}, ("type", Why.NOT_TAKEN, "root", ROOT)),
        ({"type": "Premium_LRS", "root": True, "size_gib": 5000}, ("size_gib", Why.NOT_SOLD, None, [1, 4095])),
        ({"type": "Premium_LRS", "size_gib": 32768}, ("size_gib", Why.NOT_SOLD, None, [1, 32767])),
        ({"type": "Premium_LRS", "size_gib": 1.5}, ("size_gib", Why.NOT_SOLD, None, [1, 32767])),
        ({"type": "Premium_LRS", "iops": 5000}, ("iops", Why.NOT_TAKEN, "type", [])),
        ({"type": "Premium_LRS", "throughput": 500}, ("throughput", Why.NOT_TAKEN, "type", [])),
        (V2 | {"iops": 2000, "throughput": None}, ("iops", Why.NOT_SOLD, None, [3000, 80000])),
        (V2 | {"size_gib": 10}, ("iops", Why.NOT_SOLD, "size_gib", [3000, 5000])),
        (V2 | {"iops": 3000}, ("throughput", Why.NOT_SOLD, "iops", [125, 750])),
        (V2 | {"iops": None}, ("throughput", Why.NOT_SOLD, "iops", [125, 750])),
        (V2 | {"throughput": 100}, ("throughput", Why.NOT_SOLD, None, [125, 2000])),
        (V2 | {"zone": "eastus"}, ("zone", Why.NOT_TAKEN, "type", [])),
    ],
)
def test_disks_that_are_not_sold_are_refused(order, expected):
    found = disk(**order)
    assert found == [expected]


def test_an_unknown_disk_type_is_refused():
    assert disk(type="gp3") == [("type", Why.UNKNOWN, None, [*disk_types()])]


@given(st.integers(1, 65536), st.integers(3000, 80000), st.integers(125, 2000))
def test_what_a_disk_can_have_is_not_refused(gib, iops, mbps):
    kind = present(disk_type("PremiumV2_LRS"))
    most_iops = most_disk_iops(kind, gib)
    most_mbps = most_disk_mbps(kind, min(iops, most_iops))
    order = {"type": kind.type, "size_gib": gib, "iops": min(iops, most_iops), "throughput": min(mbps, most_mbps)}
    assert disk(**order) == []
    assert disk(**order | {"iops": most_iops + 1})
    assert disk(**order | {"throughput": most_mbps + 1})


def test_fixed_iops_cannot_be_ordered():
    premium = present(disk_type("Premium_LRS"))
    assert (most_disk_iops(premium, 1024), most_disk_mbps(premium, 1000)) == (0, 0)


@pytest.mark.parametrize(
    ("type", "gib", "billed"),
    [("Premium_LRS", 100, 128), ("Premium_LRS", 128, 128), ("Standard_LRS", 4, 32), ("PremiumV2_LRS", 100, 100)],
)
def test_the_billed_size_is_that_of_the_tier(type, gib, billed):
    assert billed_gib(present(disk_type(type)), gib) == billed


def moved(archive: dict[str, float], expire: float | None = None) -> list[tuple[str, Why, str | None, list[Any]]]:
    return plain([*lifecycle_refusals(archive, expire)])


@pytest.mark.parametrize(
    ("archive", "expire", "expected"),
    [
        ({}, None, []),
        ({"archive": 180, "cool": 30}, 400, []),
        ({"frozen": 30}, None, [("frozen", Why.UNKNOWN, None, ["cool", "cold", "archive"])]),
        ({"cool": 1.5}, None, [("cool", Why.NOT_SOLD, None, [1])]),
        ({"cool": -1}, None, [("cool", Why.NOT_SOLD, None, [0])]),
        ({"cool": 90, "archive": 90}, None, [("archive", Why.NOT_TAKEN, "cool", [91])]),
        ({"archive": 90}, 90, [("expire", Why.NOT_TAKEN, "archive", [])]),
        ({}, 0, [("expire", Why.NOT_SOLD, None, [1])]),
    ],
)
def test_wrong_ages_of_blobs_are_refused(archive, expire, expected):
    assert moved(archive, expire) == expected


def test_each_tier_has_its_minimum_of_paid_days():
    assert [days_kept(tier) for tier in tiers()] == [30, 90, 180]
    with pytest.raises(KeyError):
        days_kept("hot")
