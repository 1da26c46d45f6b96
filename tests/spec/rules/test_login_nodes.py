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


@pytest.mark.parametrize("where", ["login_nodes", "head_node"])
@pytest.mark.parametrize(
    ("share", "field"),
    [
        ({}, None),
        ({"cpus": 1, "memory": "512MiB", "processes": 64}, None),
        ({"cpus": 0}, "cpus"),
        ({"memory": "511MiB"}, "memory"),
        ({"processes": 63}, "processes"),
    ],
)
def test_a_share_must_be_large_enough_to_log_in(where, share, field):
    found = paths("HPC-LOG-008", **{where: login(per_user=share)})
    assert found == ([f"{where}.per_user.{field}"] if field else [])


@pytest.mark.parametrize(
    ("share", "fields"),
    [({}, []), ({"cpus": 2, "memory": "8GiB"}, []), ({"cpus": 3, "memory": "9GiB"}, ["cpus", "memory"])],
)
def test_a_share_larger_than_the_machine_warns(share, fields):
    expected = [f"login_nodes.per_user.{field}" for field in fields]
    assert paths("HPC-LOG-009", login_nodes=login(per_user=share)) == expected


def test_a_share_of_the_head_node_needs_users_there():
    head = {"machine": "c6i.xlarge", "per_user": {"cpus": 2}}
    assert paths("HPC-LOG-010", head_node=head, login_nodes=login()) == ["head_node.per_user"]
    assert not paths("HPC-LOG-010", head_node=head)
    assert not paths("HPC-LOG-010", login_nodes=login())
