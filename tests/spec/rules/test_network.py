import pytest

from .judged import paths, problems


@pytest.mark.parametrize(
    ("cidr", "right"),
    [
        ("10.20.0.0/16", True),
        ("172.31.0.0/16", True),
        ("172.32.0.0/16", False),
        ("192.168.0.0/17", True),
        ("100.64.0.0/16", True),
        ("100.128.0.0/16", False),
        ("11.0.0.0/16", False),
    ],
)
def test_range_is_private(cidr, right):
    assert paths("HPC-NET-002", network={"cidr": cidr}) == ([] if right else ["network.cidr"])


@pytest.mark.parametrize(
    ("cidr", "instead"),
    [("10.20.16.0/21", "10.20.16.0/20"), ("10.20.17.0/24", "10.20.16.0/20"), ("10.0.0.0/15", "/16")],
)
def test_wrong_size_is_told_the_right_one(cidr, instead):
    (problem,) = problems("HPC-NET-003", network={"cidr": cidr})
    assert instead in problem.remedy


@pytest.mark.parametrize("cidr", ["10.20.0.0/16", "10.20.16.0/20"])
def test_right_sizes(cidr):
    assert not paths("HPC-NET-003", network={"cidr": cidr})


@pytest.mark.parametrize(("cidr", "open"), [("0.0.0.0/0", True), ("128.0.0.0/1", True), ("11.0.0.0/8", False)])
def test_ssh_from_the_world(cidr, open):
    found = paths("HPC-NET-004", network={"cidr": "10.20.0.0/16", "ssh_from": ["203.0.113.0/24", cidr]})
    assert found == (["network.ssh_from[1]"] if open else [])


def test_private_ranges_need_nothing_public():
    network = {"cidr": "10.20.0.0/16", "ssh_from": ["10.0.0.0/12", "203.0.113.0/24"]}
    assert paths("HPC-NET-005", network=network) == ["network.ssh_from[1]"]
    assert not paths("HPC-NET-005", network=network, head_node={"machine": "c6i.xlarge", "public": True})
    assert not paths("HPC-NET-005", network=network, login_nodes={"machine": "m6i.large", "public": True})


def test_a_public_head_node_that_nobody_reaches():
    public = {"machine": "m6i.large", "public": True}
    assert paths("HPC-NET-006", head_node=public) == ["head_node.public"]
    network = {"cidr": "10.20.0.0/16", "ssh_from": ["203.0.113.0/24"]}
    assert not paths("HPC-NET-006", head_node=public, network=network)
    assert not paths("HPC-NET-006", head_node=public | {"public": False})


def test_public_login_nodes_that_nobody_reaches_are_told_once():
    public = {"machine": "m6i.large", "public": True}
    assert not paths("HPC-NET-006", login_nodes=public)
    assert paths("HPC-LOG-003", login_nodes=public) == ["login_nodes.public"]
    assert paths("HPC-NET-006", head_node=public, login_nodes=public) == ["head_node.public"]


def test_one_network_is_right():
    assert not paths("HPC-NET-001")
    assert paths("HPC-NET-001", network={}) == ["network.cidr"]
