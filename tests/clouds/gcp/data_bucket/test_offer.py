"""Limits of Cloud Storage, for rules, components and checks of inputs."""

import pytest

from hpc_components.catalog.refusal import Why
from hpc_components.gcp.data_bucket.offer import (
    BucketOrder,
    classes,
    cold_storage,
    days_kept,
    lifecycle_refusals,
    refusals,
)


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


def test_bucket_options_that_exclude_one_another_are_refused() -> None:
    both = BucketOrder(archive=True, autoclass=True, folders=True, versioning=True)
    assert [(each.limit.id, each.field, each.conflicts_with) for each in refusals(both)] == [
        ("HPC-GCS-004", "archive", "autoclass"),
        ("HPC-GCS-005", "versioning", "folders"),
    ]
    assert not [*refusals(BucketOrder(autoclass=True, versioning=True))]
    assert not [*refusals(BucketOrder(archive=True, folders=True))]


def test_storage_classes_go_from_warm_to_cold():
    assert list(classes()) == ["nearline", "coldline", "archive"]
    assert [days_kept(name) for name in classes()] == [30, 90, 365]
    assert cold_storage().service == "Cloud Storage"
