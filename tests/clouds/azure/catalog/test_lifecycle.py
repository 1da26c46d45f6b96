"""Blob storage: the tiers that Azure offers, and the ages that it refuses."""

from typing import Any

import pytest

from hpc_components.azure.catalog.lifecycle import days_kept, lifecycle_refusals, tiers
from hpc_components.catalog.refusal import Refusal, Why


def plain(found: list[Refusal]) -> list[tuple[str, Why, str | None, list[Any]]]:
    """The first and last values of a long range."""
    short = [[*one.allowed] if len(one.allowed) < 10 else [one.allowed[0], one.allowed[-1]] for one in found]
    return [(one.field, one.why, one.because_of, allowed) for one, allowed in zip(found, short, strict=True)]


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
