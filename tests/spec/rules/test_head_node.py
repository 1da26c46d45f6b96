from ipaddress import IPv4Address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpc_components.aws.catalog.network_limits import log_retention_days
from hpc_components.catalog import machine
from hpc_components.spec.findings import Level
from hpc_components.spec.project import find_project
from hpc_components.spec.validate import judge

from .judged import existing, levels, paths, problems, queue


def head(name="c6i.xlarge", **changes):
    return {"machine": name} | changes


@pytest.mark.parametrize(
    ("name", "nodes", "found"),
    [
        ("c6i.xlarge", 185, []),  # 8 GiB = 185 / 25 + 0.6
        ("c6i.xlarge", 186, [Level.ERROR]),
        ("m7i.xlarge", 385, []),
        ("m7i.xlarge", 386, [Level.WARNING]),
        ("m7i.xlarge", 5000, [Level.WARNING]),
        ("no.such", 5000, []),
    ],
)
def test_the_head_node_needs_memory_for_its_nodes(name, nodes, found):
    assert levels("HPC-HED-001", head_node=head(name), queues=[queue(max=nodes)]) == found


@settings(deadline=None)
@given(st.integers(200, 6000))
def test_proposed_head_node_has_the_memory(nodes):
    for problem in problems("HPC-HED-001", head_node=head(), queues=[queue(max=nodes)]):
        name = problem.remedy.removeprefix("use ").replace(",", " ").split()[0]
        assert not paths("HPC-HED-001", head_node=head(name), queues=[queue(max=nodes)])
        proposed = machine("aws", name)
        assert proposed is not None
        assert proposed.arch == "x86_64"
        assert not any((proposed.accelerator, proposed.burstable, proposed.bare_metal))


@pytest.mark.parametrize(
    ("address", "wrong", "unkept"),
    [
        ("10.20.64.20", False, False),
        ("10.20.64.16", False, False),
        ("10.20.64.31", False, False),
        ("10.20.64.32", False, True),
        ("10.20.64.4", False, True),
        ("10.20.64.3", True, False),
        ("10.20.95.254", False, True),
        ("10.20.95.255", True, False),
        ("10.20.96.20", True, False),
    ],
)
def test_the_address_must_be_right_in_a_network_of_ours(address, wrong, unkept):
    assert bool(paths("HPC-HED-002", head_node=head(address=address))) is wrong
    assert bool(paths("HPC-HED-003", head_node=head(address=address))) is unkept


def test_the_address_must_be_in_the_existing_subnet():
    assert not paths("HPC-HED-002", network=existing(), head_node=head(address="10.0.0.20"))
    (problem,) = problems("HPC-HED-002", network=existing(), head_node=head(address="10.0.16.20"))
    assert "10.0.0.0/20" in problem.reason
    assert not paths("HPC-HED-002", network=existing(), zone="use2-az1", head_node=head(address="10.9.9.9"))


@pytest.mark.parametrize(("prefix", "found"), [(27, ["head_node.address"]), (28, [])])
def test_the_head_nodes_subnet_needs_room_for_a_kept_block(prefix, found):
    private = {"use2-az2": {"id": "subnet-01234567", "cidr": f"10.0.0.0/{prefix}"}}
    assert paths("HPC-HED-002", network=existing(private=private), head_node=head(address="10.9.9.9")) == found


def test_default_address_is_right():
    for id in ("HPC-HED-002", "HPC-HED-003"):
        assert not paths(id)


def test_address_of_a_public_head_node_is_in_the_public_subnet():
    (problem,) = problems("HPC-HED-002", head_node=head(address="10.20.64.20", public=True))
    proposed = problem.remedy.rpartition(" ")[2]
    assert IPv4Address(proposed)
    assert not paths("HPC-HED-002", head_node=head(address=proposed, public=True))


@pytest.mark.parametrize("cidr", ["10.20.0.0/24", "10.16.0.0/12"])
def test_network_that_cannot_be_cut_is_for_other_rules(cidr):
    for id in ("HPC-HED-002", "HPC-HED-003"):
        assert not paths(id, network={"cidr": cidr}, head_node=head(address="10.20.64.20"))


@pytest.mark.parametrize(("size", "right"), [("16GiB", True), ("15GiB", False), ("16GB", False)])
def test_the_state_disk_has_a_minimum(size, right):
    assert bool(paths("HPC-HED-004", head_node=head(state={"size": size}))) is not right


def test_logs_are_kept_for_a_time_that_is_sold():
    for days in log_retention_days():
        assert not paths("HPC-HED-005", log_retention=f"{days}d")
    (problem,) = problems("HPC-HED-005", log_retention="100d")
    assert problem.remedy == "use 90d or 120d"
    assert problems("HPC-HED-005", log_retention="100000d")[0].remedy == "use 3653d"
    assert paths("HPC-HED-005", log_retention="12h") == ["log_retention"]


def test_a_cluster_to_throw_away_with_data_warns():
    assert not paths("HPC-HED-006", throw_away=True)
    assert not paths("HPC-HED-006", storage={"home": {"type": "efs", "mount": "/home"}})
    stores = {
        "home": {"type": "efs", "mount": "/home"},
        "old": {"type": "nfs", "mount": "/old", "existing": {"server": "h", "export": "/"}},
    }
    (problem,) = problems("HPC-HED-006", throw_away=True, storage=stores, slurm={"accounting": {}})
    assert "home, the job accounting records and Slurm's state" in problem.reason


def test_a_copy_of_the_throw_away_cluster_does_not_become_one_unnoticed():
    copied = find_project().open("aws-dev").cluster
    (told,) = (each for each in judge(copied).findings if each.path == "throw_away")
    assert (told.id, told.level) == ("HPC-HED-006", Level.WARNING)
    assert (
        told.reason
        == "`pulumi destroy` deletes home and Slurm's state, with all their data and without any protection"
    )


def test_a_head_node_with_accelerators_is_found():
    assert paths("HPC-HED-007", head_node=head("p5.48xlarge")) == ["head_node.machine"]
    assert not paths("HPC-HED-007", head_node=head())
