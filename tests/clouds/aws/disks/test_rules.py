import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpc_components.aws.disks.offer import volume_type
from hpc_components.spec.findings import Level
from tests.spec.rules.judged import levels, paths, problems, queue


def state(**disk):
    return {"machine": "c6i.xlarge", "state": {"size": "64GiB"} | disk}


@pytest.mark.parametrize(
    ("type", "size", "right"),
    [
        ("gp3", "1GiB", True), ("gp3", "64TiB", True), ("gp3", "65TiB", False),
        ("io1", "4GiB", True), ("io1", "3GiB", False), ("io1", "16TiB", True), ("io1", "17TiB", False),
        ("st1", "125GiB", True), ("st1", "124GiB", False), ("sc1", "16TiB", True), ("io2", "64TiB", True),
    ],
)  # fmt: skip
def test_a_disk_size_has_the_bounds_of_its_type(type, size, right):
    assert paths("HPC-EBS-001", head_node=state(type=type, size=size)) == ([] if right else ["head_node.state.size"])


def test_a_disk_size_must_be_whole_gib():
    (problem,) = problems("HPC-EBS-002", head_node=state(size="100GB"))
    assert problem.remedy == "use 94GiB"
    assert not paths("HPC-EBS-001", head_node=state(size="100GB"))
    assert not paths("HPC-EBS-002", head_node=state(size="0.5TiB"))


@pytest.mark.parametrize(
    ("disk", "found"),
    [
        ({"type": "st1", "iops": 500}, ["head_node.state.iops"]),
        ({"type": "io2"}, ["head_node.state.type"]),
        ({"type": "io2", "iops": 500}, []),
        ({"type": "gp3"}, []),
    ],
)
def test_only_some_disk_types_take_iops(disk, found):
    assert paths("HPC-EBS-003", head_node=state(**disk)) == found


@pytest.mark.parametrize(
    ("disk", "right"),
    [
        ({"iops": 3000, "size": "1GiB"}, True), ({"iops": 2999}, False), ({"iops": 32000}, True),
        ({"iops": 32001}, False), ({"iops": 80001, "size": "1TiB"}, False),
        ({"type": "io1", "iops": 3200}, True), ({"type": "io1", "iops": 3201}, False),
        ({"type": "io2", "iops": 64000}, True), ({"type": "io2", "iops": 64001}, False),
    ],
)  # fmt: skip
def test_iops_have_the_range_of_their_disk(disk, right):
    assert paths("HPC-EBS-004", head_node=state(**disk)) == ([] if right else ["head_node.state.iops"])


@settings(deadline=None)
@given(
    type=st.sampled_from(["gp3", "io1", "io2"]),
    gib=st.integers(1, 70_000),
    iops=st.integers(-5, 300_000),
)
def test_proposed_iops_are_right(type, gib, iops):
    for problem in problems("HPC-EBS-004", head_node=state(type=type, size=f"{gib}GiB", iops=iops)):
        proposed = int(re.findall(r"use (\d+)", problem.remedy)[0])
        assert not paths("HPC-EBS-004", head_node=state(type=type, size=f"{gib}GiB", iops=proposed))
        if larger := re.findall(r"size: (\d+)GiB", problem.remedy):
            assert not paths("HPC-EBS-004", head_node=state(type=type, size=f"{larger[0]}GiB", iops=iops))


@pytest.mark.parametrize(
    ("iops", "remedy"),
    [
        (32001, "use 32000; or write head_node.state.size: 65GiB"),
        (80000, "use 32000; or write head_node.state.size: 160GiB"),
        (80001, "use 32000"),
        (1, "use 3000"),
    ],
)
def test_too_many_iops_have_both_ways_out(iops, remedy):
    (problem,) = problems("HPC-EBS-004", head_node=state(iops=iops))
    assert problem.remedy == remedy


@pytest.mark.parametrize(
    ("disk", "right"),
    [
        ({"throughput": 125}, True), ({"throughput": 124}, False), ({"throughput": 750}, True),
        ({"throughput": 751}, False), ({"throughput": 1000, "iops": 4000}, True),
        ({"throughput": 2001, "iops": 16000}, False), ({"type": "io2", "iops": 3000, "throughput": 500}, False),
    ],
)  # fmt: skip
def test_throughput_has_the_range_of_its_disk(disk, right):
    assert paths("HPC-EBS-005", head_node=state(**disk)) == ([] if right else ["head_node.state.throughput"])


@settings(deadline=None)
@given(st.integers(751, 2000))
def test_proposed_iops_carry_the_throughput(mibs):
    (problem,) = problems("HPC-EBS-005", head_node=state(throughput=mibs))
    iops = int(re.findall(r"iops: (\d+)", problem.remedy)[0])
    assert not paths("HPC-EBS-005", head_node=state(throughput=mibs, iops=iops))
    assert paths("HPC-EBS-005", head_node=state(throughput=mibs, iops=iops - 1))


def test_a_hard_disk_cannot_boot():
    assert paths("HPC-EBS-006", queues=[queue(root={"size": "500GiB", "type": "st1"})]) == ["queues[0].root.type"]
    assert not paths("HPC-EBS-006", head_node=state(type="st1", size="500GiB"))
    assert paths("HPC-EBS-008", head_node=state(type="st1", size="500GiB")) == ["head_node.state.type"]


def test_the_image_must_fit_on_the_root_disk():
    assert levels("HPC-EBS-007", queues=[queue(root={"size": "7GiB"})]) == [Level.ERROR]
    assert not levels("HPC-EBS-007", queues=[queue(root={"size": "8GiB"})])
    gpus = queue(machine="p5.48xlarge", root={"size": "40GiB"})
    assert levels("HPC-EBS-007", queues=[gpus]) == [Level.WARNING]
    assert not levels("HPC-EBS-007", queues=[gpus | {"image": "ami-0123456789abcdef0"}])


def test_all_types_of_the_description_are_in_the_catalogue():
    for type in ("gp3", "io1", "io2", "st1", "sc1"):
        assert volume_type(type) is not None
