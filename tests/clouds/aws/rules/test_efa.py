import pytest

from hpc_components.catalog import machine
from tests.spec.rules.judged import GROUP, existing, paths, problems, queue

FAST = {"name": "fast", "machine": "c7i.48xlarge", "max": 4}
TWO_ZONES = ["use2-az2", "use2-az3"]


def test_size_with_efa_is_named():
    (problem,) = problems("HPC-EFA-001", queues=[queue(fabric=True)])
    assert problem.remedy == "use machine: c7i.48xlarge"
    assert not paths("HPC-EFA-001", queues=[FAST | {"fabric": True}])
    assert not paths("HPC-EFA-001", queues=[queue()])


@pytest.mark.parametrize(
    ("changes", "warned"),
    [
        ({"fabric": False}, True),
        ({"fabric": False, "placement": "spread"}, True),
        ({"fabric": False, "placement": "none"}, False),
        ({}, False),
    ],
)
def test_efa_turned_off_without_need_warns(changes, warned):
    assert bool(paths("HPC-EFA-002", queues=[FAST | changes])) is warned


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"zones": TWO_ZONES}, True),
        ({"zones": TWO_ZONES, "fabric": False}, False),
        ({"zones": TWO_ZONES[:1]}, False),
        ({"zones": TWO_ZONES, "machine": "c7i.4xlarge"}, False),
    ],
)
def test_efa_queues_must_stay_in_one_zone(changes, wrong):
    assert bool(paths("HPC-EFA-003", queues=[FAST | changes])) is wrong


def test_own_groups_are_only_a_question_with_efa():
    network = existing(security_groups={"head": [GROUP], "compute": [GROUP]})
    assert paths("HPC-EFA-004", network=network, queues=[FAST])
    assert not paths("HPC-EFA-004", network=network, queues=[queue()])
    assert not paths("HPC-EFA-004", network=existing(), queues=[FAST])


def test_the_remedy_names_a_larger_size_with_efa():
    (problem,) = problems("HPC-EFA-006", queues=[queue(machine="c6i.24xlarge", placement="cluster")])
    assert problem.remedy.startswith("use fewer but larger nodes with EFA: c6i.32xlarge")
    assert not paths("HPC-EFA-006", queues=[FAST | {"placement": "cluster"}])


def test_family_without_efa_is_told_others_of_its_architecture():
    (problem,) = problems("HPC-EFA-001", queues=[queue(machine="t3.xlarge", fabric=True)])
    named = [machine("aws", word) for word in problem.remedy.replace(",", " ").split()]
    able = [found for found in named if found]
    assert len(able) == 4
    assert all(found.has_fabric and found.arch == "x86_64" for found in able)


def test_loosely_coupled_jobs_need_no_larger_size():
    assert not paths("HPC-EFA-006", queues=[queue(machine="c6i.24xlarge")])
