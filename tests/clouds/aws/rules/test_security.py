import pytest

from tests.spec.rules.judged import GROUP, existing, paths, problems, queue

EFS = {"home": {"type": "efs", "mount": "/home"}}
LOGIN = {"machine": "m6i.large"}


def groups(**roles):
    return {"network": existing(security_groups=roles)}


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        (groups(head=[GROUP], compute=[GROUP]), 0),
        (groups(compute=[GROUP]), 1),
        (groups(), 2),
        (groups(head=[GROUP], compute=[GROUP]) | {"storage": EFS}, 1),
        (groups(head=[GROUP], compute=[GROUP], storage=[GROUP]) | {"storage": EFS, "login_nodes": LOGIN}, 1),
        ({"network": existing()}, 0),
        ({}, 0),
    ],
)
def test_every_role_has_groups(change, missing):
    assert paths("HPC-SEC-001", **change) == ["network.existing.security_groups"] * missing


@pytest.mark.parametrize(
    ("ids", "right"), [([GROUP], True), (["sg-0a1b2c3d"], True), (["default"], False), ([GROUP, GROUP], False)]
)
def test_security_groups_have_right_ids(ids, right):
    assert (not paths("HPC-SEC-002", **groups(head=[GROUP], compute=ids))) is right


@pytest.mark.parametrize(("count", "right"), [(5, True), (6, False)])
def test_an_interface_has_few_security_groups(count, right):
    ids = [f"sg-0000000{number}" for number in range(count)]
    assert (not paths("HPC-SEC-003", **groups(head=[GROUP], compute=ids))) is right


def test_a_door_needs_a_key():
    network = {"cidr": "10.20.0.0/16", "ssh_from": ["203.0.113.0/24"]}
    door = {"machine": "c6i.xlarge", "public": True}
    assert paths("HPC-SEC-004", network=network, head_node=door, login_nodes=door) == ["head_node", "login_nodes"]
    (found,) = problems("HPC-SEC-004", network=network, head_node=door)
    assert found.remedy.endswith("or add keys to authorized_keys in a Session Manager shell")
    keyed = door | {"key_pair": "admin"}
    assert not paths("HPC-SEC-004", network=network, head_node=keyed, login_nodes=keyed)
    assert not paths("HPC-SEC-004", head_node=door, queues=[queue()])


@pytest.mark.parametrize("role", ["login", "storage"])
def test_groups_that_are_named_are_judged_even_if_nobody_wears_them(role):
    found = paths("HPC-SEC-002", **groups(head=[GROUP], compute=[GROUP], **{role: ["x"]}))
    assert found == [f"network.existing.security_groups.{role}[0]"]


def test_private_nodes_have_no_door():
    network = {"cidr": "10.20.0.0/16", "ssh_from": ["203.0.113.0/24"]}
    assert not paths("HPC-SEC-004", network=network, login_nodes=LOGIN)
