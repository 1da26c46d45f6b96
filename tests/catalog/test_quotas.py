import json
from pathlib import Path

import pytest

import hpc_components.aws.catalog
from hpc_components.aws.catalog.quotas import quota_class, service_quota
from hpc_components.catalog import quota

from .present import held, present

DATA = Path(hpc_components.aws.catalog.__file__).with_name("data")


@pytest.mark.parametrize(
    ("name", "on_demand", "spot"),
    [
        ("hpc6a.48xlarge", "L-F7808C92", None),
        ("c6i.xlarge", "L-1216C47A", "L-34B43A08"),
        ("t3.medium", "L-1216C47A", "L-34B43A08"),
        ("p3dn.24xlarge", "L-417A185B", "L-7212CCBC"),
        ("p4d.24xlarge", "L-417A185B", "L-7212CCBC"),
        ("p5en.48xlarge", "L-417A185B", "L-C4BD4855"),
        ("g6.xlarge", "L-DB2E81BA", "L-3819A6DF"),
        ("trn1.32xlarge", "L-2C3B7624", "L-6B0D517C"),
    ],
)
def test_a_machine_has_its_quota(name, on_demand, spot):
    known = held("aws", name)
    assert present(quota(known, "on_demand")).code == on_demand
    assert present(quota(known, "on_demand")).unit == "vCPU"
    found = quota(known, "spot")
    assert (found.code if found else None) == spot


def test_the_spot_quota_of_p6_is_not_known():
    found = present(quota(held("aws", "p6-b200.48xlarge"), "spot"))
    assert found.code is None
    assert "code" in found.unsure


def test_a_capacity_block_is_judged_as_on_demand_with_a_doubt():
    p5 = held("aws", "p5.48xlarge")
    assert present(quota(p5, "capacity_block")).code == present(quota(p5, "on_demand")).code
    assert "key" in present(quota(p5, "capacity_block")).unsure
    assert present(quota(p5, "on_demand")).unsure == ()


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("hpc7a", "HPC"), ("h1", "Standard"), ("inf2", "Inf"), ("i7ie", "Standard"), ("im4gn", "Standard"),
        ("is4gen", "Standard"), ("dl1", "DL"), ("d3en", "Standard"), ("vt1", "G and VT"), ("gr6", "G and VT"),
        ("g6e", "G and VT"), ("p6e-gb200", "P"), ("trn2u", "Trn"), ("t4g", "Standard"), ("u-6tb1", "High Memory"),
        ("u7i-12tb", "High Memory"), ("f2", "F"), ("x8g", "X"), ("z1d", "Standard"), ("mac2", None),
        ("m8i-flex", "Standard"),
    ],
)  # fmt: skip
def test_a_family_has_its_quota_class(family, expected):
    assert quota_class(family, "on_demand") == expected


def test_every_ec2_family_has_a_class():
    families = [record["family"] for record in json.loads((DATA / "known_types.json").read_text())]
    without = {family for family in families if quota_class(family, "on_demand") is None}
    assert all(family.startswith("mac") for family in without), without


def test_no_prefix_hides_a_later_one():
    prefixes = [record["prefix"] for record in json.loads((DATA / "quota_classes.json").read_text())]
    for later, prefix in enumerate(prefixes):
        assert not any(prefix.startswith(earlier) for earlier in prefixes[:later]), prefix


def test_other_clouds_name_a_family_or_metric():
    assert present(quota(held("azure", "Standard_HB176rs_v4"), "on_demand")).code == "standardHBv4Family"
    assert present(quota(held("azure", "Standard_HB176rs_v4"), "spot")).code == "lowPriorityCores"
    assert present(quota(held("gcp", "h3-standard-88"), "on_demand")).code == "CPUS_PER_VM_FAMILY vm_family=H3"
    assert present(quota(held("gcp", "h3-standard-88"), "on_demand")).default is None


def test_a_service_has_its_default_quota():
    assert service_quota("elastic_ips").default == 5
    assert service_quota("lustre.scratch").default == 100_800
    assert service_quota("network_interfaces").default == 5000
    assert service_quota("spread_instances").default == 7
    with pytest.raises(KeyError):
        service_quota("nothing")
