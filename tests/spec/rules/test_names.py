import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from .judged import paths, problems, queue


@pytest.mark.parametrize("name", ["cfd", "A", "a" * 40, "cfd-2026"])
def test_a_right_cluster_name_is_accepted(name):
    assert not paths("HPC-NAM-001", name=name)


@pytest.mark.parametrize("name", ["", "2cfd", "cfd_2", "a" * 41, "cfd!"])
def test_a_wrong_cluster_name_is_found(name):
    assert paths("HPC-NAM-001", name=name) == ["name"]


@pytest.mark.parametrize("name", ["a", "gpu", "computer-vision", "a" * 25, "p5-block1"])
def test_a_right_queue_name_is_accepted(name):
    assert not paths("HPC-NAM-002", queues=[queue(name=name)])


@pytest.mark.parametrize("name", ["", "GPU", "1a", "gpu-", "-gpu", "a" * 26, "a_b", "default", "a b"])
def test_a_wrong_queue_name_is_found(name):
    assert paths("HPC-NAM-002", queues=[queue(name=name)]) == ["queues[0].name"]


@settings(deadline=None)
@example("DEFAULT")
@given(st.text(min_size=1, max_size=40))
def test_proposed_name_is_right(name):
    for problem in problems("HPC-NAM-002", queues=[queue(name=name)]):
        _, colon, proposed = problem.remedy.partition(": ")
        if colon and name != "default":
            assert not paths("HPC-NAM-002", queues=[queue(name=proposed)])


def test_second_of_two_queues_is_named():
    (problem,) = problems("HPC-NAM-003", queues=[queue(), queue(name="gpu"), queue()])
    assert problem.path == ("queues", 2, "name")
    assert "queues[0]" in problem.reason


def test_a_wrong_name_of_a_store_is_found():
    stores = {"a" * 30: {"type": "efs", "mount": "/a"}, "a" * 31: {"type": "efs", "mount": "/b"}}
    assert paths("HPC-NAM-004", storage=stores) == [f"storage.{'a' * 31}"]
    assert paths("HPC-NAM-004", buckets={"my_data": {"type": "s3"}}) == ["buckets.my_data"]


@pytest.mark.parametrize(("count", "right"), [(0, False), (1, True), (50, True), (51, False)])
def test_the_number_of_queues_has_a_maximum(count, right):
    found = paths("HPC-NAM-005", queues=[queue(name=f"q{index}") for index in range(count)])
    assert found == ([] if right else ["queues"])


def test_capitals_in_a_cluster_name_are_found():
    assert paths("HPC-NAM-006", name="CFD") == ["name"]
    assert not paths("HPC-NAM-006", name="cfd")


def test_role_of_a_queue_has_a_name():
    assert not paths("HPC-NAM-007", name="c" * 26, queues=[queue(name="q" * 24)])
    (problem,) = problems("HPC-NAM-007", name="c" * 27, queues=[queue(name="q" * 24)])
    assert len(f"{'c' * 27}-{'q' * 24}-role-0123456") == 65
    assert problem.remedy.endswith("by 1")
    assert paths("HPC-NAM-007", name="c" * 40, queues=[queue(name="q" * 25)])
    assert not paths("HPC-NAM-007", name="c" * 40, queues=[queue(name="q" * 26)])  # that is HPC-NAM-002
    assert not paths("HPC-NAM-007", name="c" * 40, queues=[queue(name="q" * 24, instance_profile="hpc-node")])
