"""Readings of recorded Filestore instances."""

import pytest

from clouds.gcp.plan.made import made
from hpc_components.gcp.home.plan import READER
from hpc_components.gcp.plan.reader import READER as CLOUD
from hpc_components.preview.resources import UNKNOWN, Resource, Resources

HOME = made("filestore/Instance", "home", tier="BASIC_HDD", fileShares={"capacityGb": 1024}, location="us-central1-b")
OLD = made("filestore/Instance", "old", tier="ENTERPRISE", fileShares={"capacityGb": 1024}, location="us-central1")
UNSIZED = made("filestore/Instance", "young", fileShares={"capacityGb": UNKNOWN})
OTHER = made("lustre/Instance", "scratch", capacityGib="9000")
ALL = Resources((HOME, OLD, UNSIZED, OTHER))


def test_instances_are_paid_by_their_capacity() -> None:
    found = [(each.what, each.item, each.idle, each.full) for each in READER.services(ALL)]
    assert found == [
        ("Filestore home", "filestore.basic_hdd", 1024, 1024),
        ("Filestore old", "filestore.enterprise", 1024, 1024),
        ("Filestore young", "filestore.zonal", 0, 0),
    ]


def test_capacity_counts_against_the_quota_of_a_tier_that_is_known() -> None:
    assert [(each.quota.key, each.what, each.need) for each in READER.quotas(ALL)] == [
        ("filestore.basic_hdd", "home", 1024)
    ]


def test_each_instance_has_a_card_in_its_zone() -> None:
    found = [(each.card.lines, each.zones) for each in READER.file_systems(ALL)]
    assert found == [
        (("Filestore · 1,024 GiB · basic hdd",), ("us-central1-b",)),
        (("Filestore · 1,024 GiB · enterprise",), (None,)),
        (("Filestore",), (None,)),
    ]


@pytest.mark.parametrize(("resource", "held"), [(HOME, True), (OTHER, False)])
def test_files_are_on_instances(resource: Resource, held: bool) -> None:
    assert READER.holds_data(resource) is held
    assert CLOUD.holds_data(resource), "the cloud's reader asks its products"
