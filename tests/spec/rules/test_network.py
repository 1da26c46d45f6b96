import pytest

from .judged import existing, paths, problems


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
def test_a_network_range_must_be_private(cidr, right):
    assert paths("HPC-NET-002", network={"cidr": cidr}) == ([] if right else ["network.cidr"])


@pytest.mark.parametrize(
    ("cidr", "instead"),
    [("10.20.16.0/21", "10.20.16.0/20"), ("10.20.17.0/24", "10.20.16.0/20"), ("10.0.0.0/15", "/16")],
)
def test_wrong_size_is_told_the_right_one(cidr, instead):
    (problem,) = problems("HPC-NET-003", network={"cidr": cidr})
    assert instead in problem.remedy


@pytest.mark.parametrize("cidr", ["10.20.0.0/16", "10.20.16.0/20"])
def test_a_right_network_size_is_accepted(cidr):
    assert not paths("HPC-NET-003", network={"cidr": cidr})


@pytest.mark.parametrize(("cidr", "open"), [("0.0.0.0/0", True), ("128.0.0.0/1", True), ("11.0.0.0/8", False)])
def test_ssh_open_to_the_world_is_found(cidr, open):
    found = paths("HPC-NET-004", network={"cidr": "10.20.0.0/16", "ssh_from": ["203.0.113.0/24", cidr]})
    assert found == (["network.ssh_from[1]"] if open else [])


def test_private_ranges_need_nothing_public():
    network = {"cidr": "10.20.0.0/16", "ssh_from": ["10.0.0.0/12", "203.0.113.0/24"]}
    assert paths("HPC-NET-005", network=network) == ["network.ssh_from[1]"]
    assert not paths("HPC-NET-005", network=network, head_node={"machine": "c6i.xlarge", "public": True})
    assert not paths("HPC-NET-005", network=network, login_nodes={"machine": "m6i.large", "public": True})


def test_a_public_head_node_needs_somebody_to_reach_it():
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


PRIVATE = ["10.0.0.0/12", "192.168.0.0/16", "172.16.5.0/24", "100.64.0.0/10"]


@pytest.mark.parametrize(
    ("ssh_from", "right"),
    [(PRIVATE, False), ([*PRIVATE, "203.0.113.7/32"], True), (["0.0.0.0/0"], True), (["127.0.0.0/8"], False)],
)
def test_what_is_public_is_reached_from_the_internet(ssh_from, right):
    public = {"machine": "m6i.large", "public": True}
    network = {"cidr": "10.20.0.0/16", "ssh_from": ssh_from}
    assert paths("HPC-NET-006", head_node=public, network=network) == ([] if right else ["head_node.public"])
    assert paths("HPC-LOG-003", login_nodes=public, network=network) == ([] if right else ["login_nodes.public"])
    assert not paths("HPC-LOG-003", login_nodes=public | {"public": False}, network=network)


def test_a_public_door_for_a_vpn_is_told_the_way_out():
    network = {"cidr": "10.20.0.0/16", "ssh_from": ["10.0.0.0/12"]}
    (problem,) = problems("HPC-LOG-003", login_nodes={"machine": "m6i.large", "public": True}, network=network)
    assert "10.0.0.0/12" in problem.reason
    assert problem.remedy.startswith("remove public: true and")


@pytest.mark.parametrize(
    ("cidr", "somebody"),
    [
        ("0.0.0.0", False), ("0.0.0.0/8", False), ("127.0.0.1", False), ("169.254.0.0/16", False),
        ("224.0.0.0/4", False), ("255.255.255.255", False),
        ("0.0.0.0/0", True), ("0.0.0.0/1", True), ("1.1.1.1", True), ("223.255.255.0/24", True), ("10.0.0.1", True),
    ],
)  # fmt: skip
def test_a_range_from_which_nobody_can_come_is_found(cidr, somebody):
    found = paths("HPC-NET-024", network={"cidr": "10.20.0.0/16", "ssh_from": ["203.0.113.0/24", cidr]})
    assert found == ([] if somebody else ["network.ssh_from[1]"])


def test_a_range_within_another_is_not_the_same():
    network = {"cidr": "10.20.0.0/16", "ssh_from": ["130.83.0.0/16", "130.83.7.0/24", "130.83.0.0/16"]}
    assert paths("HPC-NET-024", network=network) == ["network.ssh_from[2]"]


@pytest.mark.parametrize(
    ("cidr", "right"),
    [("172.17.0.0/16", False), ("172.17.240.0/20", False), ("172.16.0.0/16", True), ("172.18.0.0/16", True)],
)
def test_a_range_that_docker_uses_is_found(cidr, right):
    assert paths("HPC-NET-025", network={"cidr": cidr}) == ([] if right else ["network.cidr"])


def test_only_subnets_of_an_existing_network_must_avoid_docker():
    zone = {"id": "subnet-0123456789abcdef0", "cidr": "172.17.16.0/20"}
    around = existing(cidr="172.16.0.0/12")
    assert not paths("HPC-NET-025", network=around), "nodes are in the subnets"
    assert paths("HPC-NET-025", network=existing(cidr="172.16.0.0/12", private={"use2-az2": zone})) == [
        "network.existing.private.use2-az2.cidr"
    ]


@pytest.mark.parametrize(
    ("cidr", "right"), [("10.0.0.0/16", True), ("100.64.0.0/16", True), ("169.254.0.0/16", False)]
)
def test_an_existing_network_has_the_sizes_of_vpcs(cidr, right):
    assert paths("HPC-NET-026", network=existing(cidr=cidr)) == ([] if right else ["network.existing.cidr"])
