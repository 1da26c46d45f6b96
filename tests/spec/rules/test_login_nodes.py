import pytest

from hpc_components.spec.findings import Level

from .judged import levels, paths


def login(**changes):
    return {"machine": "m7i.large"} | changes


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        ({}, []),
        ({"min": 2, "max": 2}, []),
        ({"min": 0, "max": 2}, ["login_nodes.min"]),
        ({"min": 3, "max": 2}, ["login_nodes.min"]),
        ({"max": 0}, ["login_nodes.max"]),
    ],
)
def test_the_count_of_login_nodes_has_bounds(counts, found):
    assert paths("HPC-LOG-001", login_nodes=login(**counts)) == found


@pytest.mark.parametrize(
    ("most", "found"), [(None, []), (1, []), (100, []), (0, [Level.ERROR]), (101, [Level.WARNING])]
)
def test_the_number_of_sessions_has_bounds(most, found):
    assert levels("HPC-LOG-002", login_nodes=login(max_sessions_per_user=most)) == found


def test_public_login_nodes_need_somebody_to_reach_them():
    assert paths("HPC-LOG-003", login_nodes=login(public=True)) == ["login_nodes.public"]
    reached = {"cidr": "10.20.0.0/16", "ssh_from": ["203.0.113.0/24"]}
    assert not paths("HPC-LOG-003", login_nodes=login(public=True), network=reached)
    assert not paths("HPC-LOG-003", login_nodes=login())


@pytest.mark.parametrize(("name", "right"), [("m7i.large", True), ("c7i.large", True), ("t3.small", False)])
def test_a_login_machine_needs_the_right_size(name, right):
    assert bool(paths("HPC-LOG-004", login_nodes=login(machine=name))) is not right


def test_login_nodes_in_two_zones_need_two_machines():
    zones = ["use2-az1", "use2-az2"]
    assert paths("HPC-LOG-005", login_nodes=login(zones=zones)) == ["login_nodes.zones"]
    assert not paths("HPC-LOG-005", login_nodes=login(zones=zones, min=2, max=2))
    assert not paths("HPC-LOG-005", login_nodes=login())
