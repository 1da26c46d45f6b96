import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.catalog import machine
from hpc_components.spec.findings import Level
from tests.spec.rules.judged import levels, paths, problems, queue


def test_classes_are_summed_apart():
    found = problems(
        "HPC-QTA-001",
        login_nodes={"machine": "m6i.large", "min": 1, "max": 4},
        queues=[
            queue(name="a", machine="hpc6a.48xlarge", max=16),
            queue(name="b", machine="c7i.48xlarge", max=200, purchase="spot"),
            queue(name="c", machine="c7i.48xlarge", max=2),
            queue(name="d", machine="p5.48xlarge", max=8, purchase={"capacity_block": "cr-0123456789abcdef0"}),
        ],
    )
    assert {(problem.path, problem.value, problem.remedy.split()[1]) for problem in found} == {
        (("queues", 2, "max"), 4 + 8 + 384, "L-1216C47A"),
        (("queues", 0, "max"), 1536, "L-F7808C92"),
        (("queues", 1, "max"), 38400, "L-34B43A08"),
    }


@given(st.lists(st.tuples(st.sampled_from(["c7i.4xlarge", "m6i.large"]), st.integers(1, 50)), min_size=1, max_size=5))
def test_sum_is_that_of_all_nodes(fleets):
    queues = [queue(name=f"q{i}", machine=name, max=count) for i, (name, count) in enumerate(fleets)]
    (problem,) = problems("HPC-QTA-001", queues=queues)
    vcpus = {"c7i.4xlarge": 16, "m6i.large": 2}
    assert problem.value == 4 + sum(vcpus[name] * count for name, count in fleets)


def test_of_fallbacks_the_largest_of_a_class_counts():
    (problem,) = problems("HPC-QTA-001", queues=[queue(machine="c6i.32xlarge", max=2, fallback=["c7i.48xlarge"])])
    assert problem.value == 4 + 2 * 192
    both = problems("HPC-QTA-001", queues=[queue(machine="hpc6a.48xlarge", max=2, fallback=["c7a.24xlarge"])])
    assert {problem.value for problem in both} == {2 * 96, 4 + 2 * 96}


def test_what_is_reserved_counts_too():
    reserved = {"reservation": "cr-0123456789abcdef0"}
    (problem,) = problems("HPC-QTA-001", queues=[queue(machine="c7i.4xlarge", max=3, purchase=reserved)])
    assert problem.value == 4 + 3 * 16


def test_exactly_the_default_is_only_told():
    small = {"head_node": {"machine": "c7a.medium"}, "queues": [queue(machine="c7a.xlarge", max=1)]}
    assert levels("HPC-QTA-001", **small) == [Level.INFO]
    assert not levels("HPC-QTA-001", **small | {"queues": [queue(machine="c7a.medium", max=3)]})


@pytest.mark.parametrize(("zones", "public", "found"), [(5, False, []), (5, True, ["network.nat"]), (4, True, [])])
def test_elastic_addresses_count_against_their_quota(zones, public, found):
    ids = [f"use1-az{number}" for number in (1, 2, 4, 5, 6)][:zones]
    change = {
        "region": "us-east-1",
        "zone": ids[0],
        "network": {"cidr": "10.20.0.0/16", "nat": "per_zone"},
        "head_node": {"machine": "c6i.xlarge", "public": public},
        "queues": [queue(zones=ids)],
    }
    assert paths("HPC-QTA-002", **change) == found


@pytest.mark.parametrize(("count", "found"), [(151, []), (152, ["queues[0].max"])])
def test_interfaces_of_p5_count_against_their_quota(count, found):
    """32 cards with EFA and the primary interface: 33 each, 5,000 in all."""
    assert paths("HPC-QTA-003", queues=[queue(machine="p5.48xlarge", max=count)]) == found
    assert not paths("HPC-QTA-003", queues=[queue(machine="p5.48xlarge", max=count, fabric=False)])


def test_as_many_interfaces_as_there_may_be():
    assert not paths("HPC-QTA-003", queues=[queue(max=5000)])
    assert paths("HPC-QTA-003", queues=[queue(max=5001)])


@pytest.mark.parametrize(("count", "found"), [(60, []), (61, ["network.ssh_from"])])
def test_ssh_ranges_count_against_the_rules_of_a_group(count, found):
    ranges = [f"10.{number}.0.0/16" for number in range(100, 100 + count)]
    assert paths("HPC-QTA-004", network={"cidr": "10.20.0.0/16", "ssh_from": ranges}) == found


@pytest.mark.parametrize(("nodes", "found"), [(798, []), (799, ["queues[0].max"])])
def test_disks_count_against_their_quota(nodes, found):
    """50 TiB are 800 disks of 64 GiB; the head node has two."""
    assert paths("HPC-QTA-005", queues=[queue(max=nodes)]) == found
    assert not paths("HPC-QTA-005", queues=[queue(max=nodes, root={"size": "64GiB", "type": "io2"})])


@pytest.mark.parametrize(("nodes", "minutes"), [(1000, None), (1120, 1), (4600, 30)])
def test_a_slow_launch_is_told_in_minutes(nodes, minutes):
    found = problems("HPC-QTA-006", queues=[queue(max=nodes)])
    assert [f"{minutes} minutes" in problem.reason for problem in found] == ([] if minutes is None else [True])


def test_lustre_is_summed_per_kind():
    def lustre(size: str, deployment: str) -> dict:
        return {"type": "lustre", "mount": f"/{size}", "size": size, "deployment": deployment}

    storage = {"a": lustre("100.8TiB", "scratch_2"), "b": lustre("50.4TiB", "persistent_2")}
    assert not paths("HPC-QTA-007", storage=storage)
    (problem,) = problems("HPC-QTA-007", storage=storage | {"c": lustre("1200GiB", "scratch_1")})
    assert problem.path == ("storage", "a", "size")
    assert problem.value == 102_000


def test_unknown_machines_count_nothing():
    assert machine("aws", "q9.huge") is None
    assert not paths("HPC-QTA-001", head_node={"machine": "q9.huge"}, queues=[queue(machine="q9.huge")])


def test_reservations_alone_have_their_quota():
    reserved = queue(name="a", machine="p5.48xlarge", max=8, purchase={"reservation": "cr-0123456789abcdef0"})
    assert problems("HPC-QTA-001", queues=[reserved]) == []
    more = queue(name="b", machine="p5.48xlarge", max=1)
    (problem,) = problems("HPC-QTA-001", queues=[reserved, more])
    assert problem.value == 9 * 192, "an unused reservation counts as well"
