"""Root disks on local disks."""

import re

import pytest

from hpc_components.azure.disks.offer import LocalRootOrder, facts_of_kind, local_root, refusals
from hpc_components.catalog import machine
from hpc_components.catalog.machines import all_machines

GIB_OF_GB = 1e9 / 2**30


@pytest.mark.parametrize(
    ("size", "placement", "gib"),
    [
        ("Standard_HB176rs_v4", "ResourceDisk", 447),
        ("Standard_HB176-24rs_v4", "ResourceDisk", 447),
        ("Standard_D2ads_v5", "ResourceDisk", 75),
        ("Standard_D16pds_v5", "ResourceDisk", 600),
        ("Standard_D2ads_v6", "NvmeDisk", 110),
        ("Standard_D128ds_v6", "NvmeDisk", 7040),
        ("Standard_NC24ads_A100_v4", "CacheDisk", 256),
        ("Standard_F16s_v2", "CacheDisk", 256),
        ("Standard_D16s_v5", None, 0),
        ("Standard_D2as_v6", None, 0),
    ],
)
def test_a_root_disk_finds_room_on_a_local_disk(size, placement, gib):
    found = local_root(size)
    assert found
    assert (found.placement, found.gib) == (placement, gib)


def refused(machine, gib, **more):
    """Return field and both remedies of each refusal."""
    found = refusals(LocalRootOrder(machine=machine, size_gib=gib, **more))
    return [(each.field, dict(each.changes), dict(each.alternative)) for each in found]


def test_what_is_not_known_is_let_pass():
    assert local_root("Standard_HC44rs") is None
    assert refused("Standard_HC44rs", 4000) == []


def test_a_local_root_disk_that_azure_would_refuse_is_refused():
    assert refused("Standard_HB176rs_v4", 128) == []
    assert refused("Standard_D16s_v5", 30) == [("local", {"local": None}, {})]
    assert refused("Standard_D2ads_v5", 128) == [("local", {"size_gib": 75}, {"local": None})]


def test_root_disk_smaller_than_its_image_is_not_proposed():
    assert refused("Standard_D2ads_v5", 128, image_gib=80) == [("local", {"local": None}, {})]


def test_managed_root_disk_needs_no_local_disks():
    assert refused("Standard_D16s_v5", 30, local=False) == []


@pytest.mark.parametrize("size", [each.name for each in all_machines("azure")])
def test_the_records_agree_with_the_catalogue(size):
    facts, found = machine("azure", size), local_root(size)
    assert facts
    if found and found.placement == "NvmeDisk":
        assert found.gib == pytest.approx(facts.local_nvme_gb * GIB_OF_GB, abs=6)
    if found and found.placement is None:
        assert facts.local_nvme_gb == 0


def test_one_record_speaks_of_a_size():
    patterns = [record["sizes"] for record in facts_of_kind("local_root")]
    for each in all_machines("azure"):
        assert sum(bool(re.fullmatch(one, each.name.removeprefix("Standard_"))) for one in patterns) <= 1, each.name
    assert all(
        any(re.fullmatch(one, each.name.removeprefix("Standard_")) for each in all_machines("azure"))
        for one in patterns
    )
