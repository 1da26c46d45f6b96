import pytest

from tests.spec.rules.judged import existing, paths, problems, queue

TWO = {
    "use2-az2": {"id": "subnet-0123456789abcdef0", "cidr": "10.0.0.0/20"},
    "use2-az3": {"id": "subnet-0123456789abcdef1", "cidr": "10.0.16.0/20"},
}
PUBLIC = {"use2-az2": {"id": "subnet-0123456789abcdef2", "cidr": "10.0.32.0/24"}}


def test_every_zone_in_use_has_a_private_subnet():
    queues = [queue(zones=["use2-az2", "use2-az3"])]
    assert paths("HPC-NET-008", network=existing(), queues=queues) == ["network.existing.private"]
    assert not paths("HPC-NET-008", network=existing(private=TWO), queues=queues)


def test_public_nodes_need_public_subnets_in_their_zones():
    head = {"machine": "c6i.xlarge", "public": True}
    login = {"machine": "m6i.large", "public": True, "zones": ["use2-az2", "use2-az3"]}
    network = existing(private=TWO, public=PUBLIC)
    assert paths("HPC-NET-009", network=network, head_node=head, login_nodes=login) == ["login_nodes.public"]
    assert not paths("HPC-NET-009", network=network, head_node=head)
    assert not paths("HPC-NET-009", network=existing(private=TWO))


@pytest.mark.parametrize(
    ("id", "network"),
    [
        ("HPC-NET-010", existing(cidr="10.0.0.0/21")),
        ("HPC-NET-011", existing(private=TWO, public={"use2-az1": PUBLIC["use2-az2"] | {"cidr": "10.0.16.0/28"}})),
        ("HPC-NET-013", existing(private=TWO | {"use2-az1": TWO["use2-az3"]})),
        ("HPC-NET-013", existing(private={"use2-az2": TWO["use2-az2"] | {"id": "subnet-XYZ"}})),
        ("HPC-NET-014", existing() | {"endpoints": ["s3"]}),
        ("HPC-NET-014", existing() | {"flow_logs": "7d"}),
    ],
)
def test_a_wrong_existing_network_is_found(id, network):
    assert len(paths(id, network=network)) == 1


@pytest.mark.parametrize("number", range(8, 15))
def test_a_right_existing_network_is_accepted(number):
    assert not paths(f"HPC-NET-{number:03}", network=existing(private=TWO, public=PUBLIC))


@pytest.mark.parametrize(("prefix", "right"), [(28, False), (27, True), (16, True)])
def test_a_subnet_has_the_sizes_of_aws(prefix, right):
    subnet = {"id": "subnet-0123456789abcdef0", "cidr": f"10.0.0.0/{prefix}"}
    assert (not paths("HPC-NET-012", network=existing(private={"use2-az2": subnet}))) is right


def test_short_ids_of_old_accounts_are_right():
    assert not paths("HPC-NET-013", network=existing(vpc="vpc-0a1b2c3d"))


def test_private_login_nodes_need_no_public_subnet():
    assert not paths("HPC-NET-009", network=existing(), login_nodes={"machine": "m6i.large"})
    assert paths("HPC-NET-009", network=existing(), login_nodes={"machine": "m6i.large", "public": True})


def test_ids_are_told_apart():
    network = existing(vpc="x", private={"use2-az2": {"id": "y", "cidr": "10.0.0.0/20"}})
    assert [problem.reason for problem in problems("HPC-NET-013", network=network)] == [
        "'x' is not the id of a VPC",
        "'y' is not the id of a subnet",
    ]
