import pytest

from hpc_components.catalog import regions, zones
from tests.spec.rules.judged import existing, paths, problems, queue


@pytest.mark.parametrize(
    ("region", "meant"), [("us-east2", "us-east-2"), ("use2-az2", "us-east-2"), ("eu-north1", "eu-north-1")]
)
def test_a_misspelt_region_is_corrected(region, meant):
    (problem,) = problems("HPC-MCH-001", region=region)
    assert problem.remedy == f"did you mean {meant}?"


@pytest.mark.parametrize("region", regions("aws"))
def test_all_zones_of_all_regions_are_right(region):
    assert not paths("HPC-MCH-001", region=region)
    for zone in zones("aws", region):
        assert not paths("HPC-MCH-002", region=region, zone=zone)


def test_every_place_of_a_zone_is_looked_at():
    found = paths(
        "HPC-MCH-002",
        zone="a",
        login_nodes={"machine": "m6i.large", "zones": ["use2-az1", "b"]},
        queues=[queue(zones=["c"])],
        buckets={"data": {"type": "s3_express", "zone": "d"}},
        network=existing(private={"e": {"id": "subnet-01234567", "cidr": "10.0.0.0/24"}}),
    )
    assert found == [
        "zone", "login_nodes.zones[1]", "queues[0].zones[0]", "buckets.data.zone", "network.existing.private.e",
    ]  # fmt: skip


def test_name_instead_of_id():
    (problem,) = problems("HPC-MCH-002", zone="us-east-2b")
    assert "each account" in problem.reason
    assert "use2-az1, use2-az2, use2-az3" in problem.remedy


def test_of_an_unknown_region_no_zone_is_judged():
    assert not paths("HPC-MCH-002", region="mars-north-1", zone="man1-az1")


def test_a_zone_named_twice_for_login_nodes_is_found():
    login = {"machine": "m6i.large", "zones": ["use2-az1", "use2-az2", "use2-az1"]}
    assert paths("HPC-MCH-003", login_nodes=login) == ["login_nodes.zones[2]"]


def test_buckets_without_a_zone_are_where_the_cluster_is():
    assert not paths("HPC-MCH-002", buckets={"fast": {"type": "s3_express"}, "cold": {"type": "s3"}})
