from itertools import pairwise

import pytest

from hpc_components.catalog import machine
from hpc_components.spec.findings import Level

from .judged import levels, paths, problems, queue


def two(main: str, other: str, **changes):
    return [queue(machine=main, fallback=[other], **changes)]


def test_a_fallback_named_twice_is_found():
    assert paths("HPC-FLX-001", queues=[queue(fallback=["m7i.4xlarge", "c7i.4xlarge", "m7i.4xlarge"])]) == [
        "queues[0].fallback[1]",
        "queues[0].fallback[2]",
    ]


@pytest.mark.parametrize(
    ("number", "main", "other", "changes", "wrong"),
    [
        (2, "c7a.16xlarge", "c7g.16xlarge", {}, True),
        (2, "c7a.16xlarge", "m7a.16xlarge", {}, False),
        (3, "c7i.48xlarge", "c7a.48xlarge", {}, False),
        (3, "c7i.48xlarge", "c7a.48xlarge", {"smt": False}, True),
        (3, "c7i.16xlarge", "c7a.8xlarge", {"smt": False}, False),
        (3, "c7i.16xlarge", "c7a.8xlarge", {}, True),
        (4, "g6.48xlarge", "g5.48xlarge", {}, True),
        (4, "g6.4xlarge", "g6.8xlarge", {}, False),
        (4, "c7i.4xlarge", "g6.4xlarge", {}, True),
        (5, "c7i.4xlarge", "m7i.4xlarge", {}, True),
        (5, "m6i.4xlarge", "m7i.4xlarge", {}, False),
        (6, "c6in.32xlarge", "c6i.32xlarge", {}, True),
        (6, "c6in.32xlarge", "c6i.32xlarge", {"fabric": False}, False),
        (6, "c7i.48xlarge", "m7i.48xlarge", {}, False),
        (7, "c6i.32xlarge", "c7a.32xlarge", {}, True),
        (7, "c6i.32xlarge", "c7a.32xlarge", {"fabric": False}, False),
        (7, "c7a.32xlarge", "c6i.32xlarge", {}, False),
        (8, "c7i.16xlarge", "c7a.16xlarge", {}, True),
        (8, "c7i.16xlarge", "c7a.8xlarge", {"smt": False}, False),
        (8, "c7i.16xlarge", "m7i.16xlarge", {}, False),
    ],
)
def test_a_fallback_must_be_like_its_machine(number, main, other, changes, wrong):
    assert bool(paths(f"HPC-FLX-{number:03}", queues=two(main, other, **changes))) is wrong


def test_all_nodes_count_as_the_smallest_machine():
    assert levels("HPC-FLX-003", queues=two("c7i.48xlarge", "c6i.32xlarge")) == [Level.WARNING]
    assert levels("HPC-FLX-003", queues=two("c6i.32xlarge", "c7i.48xlarge")) == [Level.WARNING]


@pytest.mark.parametrize("main", ["c7i.48xlarge", "hpc6a.48xlarge", "m6i.xlarge", "g6.48xlarge"])
def test_what_is_suggested_has_none_of_these_problems(main):
    (problem,) = problems("HPC-FLX-002", queues=two(main, "c7g.16xlarge"))
    words = problem.remedy.replace(",", " ").split()
    for name in (word for word in words if machine("aws", word) and word != main):
        for number in (1, 2, 3, 4, 7, 8):
            assert not paths(f"HPC-FLX-{number:03}", queues=two(main, name)), name


def test_the_remedy_names_the_nearest_machines_first():
    """Remedies name machines in an order that makes sense: m7i and r7i before what has other cores."""
    (problem,) = problems("HPC-FLX-003", queues=two("c7i.48xlarge", "c6i.32xlarge"))
    assert problem.remedy == "use m7i.48xlarge or r7i.48xlarge"


def test_all_rules_are_silent_on_equal_machines():
    equal = ["m6i.4xlarge", "m7i.4xlarge"]
    for main, other in [*pairwise(equal), *pairwise(reversed(equal))]:
        for number in range(1, 9):
            assert not paths(f"HPC-FLX-{number:03}", queues=two(main, other))


def test_little_memory_more_is_no_waste():
    assert not paths("HPC-FLX-005", queues=two("c7i.large", "m7i.large")), "more than a fifth, and less than 4 GiB"


def test_stand_ins_of_spot_are_sold_as_spot():
    (problem,) = problems("HPC-FLX-002", queues=two("c7a.48xlarge", "c8g.48xlarge", purchase="spot"))
    assert "hpc" not in problem.remedy
    (problem,) = problems("HPC-FLX-002", queues=two("c7a.48xlarge", "c8g.48xlarge"))
    assert "hpc" in problem.remedy


def test_with_whole_cores_threads_do_not_matter():
    (problem,) = problems("HPC-FLX-003", queues=two("c7a.8xlarge", "c7i.8xlarge", smt=False))
    assert "16xlarge" in problem.remedy


def test_unknown_machines_are_not_compared():
    for number in range(2, 9):
        assert not paths(f"HPC-FLX-{number:03}", queues=two("q9.huge", "c7i.4xlarge"))
