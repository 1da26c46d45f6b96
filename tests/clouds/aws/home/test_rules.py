import re

import pytest

from hpc_components.aws.home.offer import openzfs
from hpc_components.spec.findings import Level
from tests.spec.rules.judged import GROUP, existing, levels, paths, problems, queue

ID = "fs-0123456789abcdef0"


def nfs(**changes):
    return {"home": {"type": "nfs", "mount": "/home", "size": "1TiB"} | changes}


@pytest.mark.parametrize(
    ("size", "right"),
    [("64GiB", True), ("63GiB", False), ("512TiB", True), ("513TiB", False), ("100GB", False), ("0.5TiB", True)],
)
def test_an_openzfs_size_must_be_sold(size, right):
    assert paths("HPC-NFS-002", storage=nfs(size=size)) == ([] if right else ["storage.home.size"])


def test_new_one_has_a_size():
    storage = {"home": {"type": "nfs", "mount": "/home"}}
    assert paths("HPC-NFS-001", storage=storage) == ["storage.home"]
    assert not paths("HPC-NFS-002", storage=storage)


@pytest.mark.parametrize("deployment", ["single_az_1", "single_az_2", "multi_az_1"])
def test_an_openzfs_throughput_must_be_sold(deployment):
    for throughput in openzfs(deployment).throughputs:
        assert not paths("HPC-NFS-003", storage=nfs(deployment=deployment, throughput=throughput))
    for wrong in (0, 100, 99_999):
        (problem,) = problems("HPC-NFS-003", storage=nfs(deployment=deployment, throughput=wrong))
        proposed = int(re.findall(r"\d+", problem.remedy)[0])
        assert not paths("HPC-NFS-003", storage=nfs(deployment=deployment, throughput=proposed))


def test_default_throughput_is_blamed_on_the_deployment():
    assert paths("HPC-NFS-003", storage=nfs(deployment="single_az_2")) == ["storage.home.deployment"]


@pytest.mark.parametrize(
    ("kept", "right"), [(None, True), ("1d", True), ("90d", True), ("91d", False), ("36h", False)]
)
def test_backups_are_kept_for_a_bounded_time(kept, right):
    assert paths("HPC-NFS-004", storage=nfs(backups=kept)) == ([] if right else ["storage.home.backups"])


def test_no_backups_are_written_as_null():
    (problem,) = problems("HPC-NFS-004", storage=nfs(backups="0d"))
    assert problem.remedy == "use 1d; or turn off backups"
    assert not paths("HPC-NFS-004", storage=nfs(backups=None))


def test_failover_needs_a_second_zone():
    storage = nfs(deployment="multi_az_1", throughput=160)
    assert paths("HPC-NFS-005", storage=storage) == ["storage.home.deployment"]
    assert not paths("HPC-NFS-005", storage=storage, queues=[queue(zones=["use2-az1"])])
    assert not paths("HPC-NFS-010", storage=storage, queues=[queue(zones=["use2-az1"])])
    assert paths("HPC-NFS-010", storage=nfs(), queues=[queue(zones=["use2-az1"])]) == ["storage.home"]


def test_an_existing_nfs_has_rules_of_its_own():
    there = {"server": "10.0.0.5", "export": "/export/home"}
    storage = {"home": {"type": "nfs", "mount": "/home", "existing": there}}
    for id in ("HPC-NFS-001", "HPC-NFS-002", "HPC-NFS-006", "HPC-NFS-007"):
        assert not paths(id, storage=storage)
    storage["home"]["backups"] = None
    assert paths("HPC-NFS-006", storage=storage) == ["storage.home.backups"]


@pytest.mark.parametrize(
    ("server", "host"),
    [("nfs://h.example.org/x", "h.example.org"), ("h:2049", "h"), ("h/x", "h"), ("", "nfs.example")],
)
def test_the_remedy_names_the_nfs_host(server, host):
    storage = nfs(existing={"server": server, "export": "/x"})
    (problem,) = problems("HPC-NFS-007", storage=storage)
    assert host in problem.remedy


@pytest.mark.parametrize("export", ["home", "", "/a b", "/a:b"])
def test_a_wrong_nfs_export_is_found(export):
    storage = nfs(existing={"server": "h", "export": export})
    assert paths("HPC-NFS-007", storage=storage) == ["storage.home.existing.export"]


@pytest.mark.parametrize(("nodes", "right"), [(128, True), (129, False)])
def test_many_nodes_on_one_openzfs_are_found(nodes, right):
    assert paths("HPC-NFS-008", storage=nfs(), queues=[queue(max=nodes)]) == ([] if right else ["storage.home"])


def test_many_nodes_are_told_a_throughput_that_suffices():
    (problem,) = problems("HPC-NFS-008", storage=nfs(throughput=64), queues=[queue(max=300)])
    assert "512" in problem.remedy
    (problem,) = problems("HPC-NFS-008", storage=nfs(throughput=64), queues=[queue(max=128)])
    assert "128" in problem.remedy


def test_throughput_that_is_not_sold_is_not_shared_out():
    assert not paths("HPC-NFS-008", storage=nfs(throughput=1), queues=[queue(max=300)])


def test_elastic_throughput_of_efs_needs_no_warning():
    assert not paths("HPC-NFS-009", storage={"home": {"type": "efs", "mount": "/home"}})


def test_failover_needs_a_network_of_ours():
    storage = nfs(deployment="multi_az_1", throughput=160)
    assert paths("HPC-NFS-011", storage=storage, network=existing()) == ["storage.home.deployment"]
    assert not paths("HPC-NFS-011", storage=storage)
    assert not paths("HPC-NFS-011", storage=nfs(), network=existing())


def test_own_security_groups_must_open_nfs_ports():
    own = existing(security_groups={"head": [GROUP], "compute": [GROUP], "storage": [GROUP]})
    (problem,) = problems("HPC-NFS-012", storage=nfs(), network=own)
    assert "20003" in problem.reason
    (problem,) = problems("HPC-NFS-012", storage={"home": {"type": "efs", "mount": "/home"}}, network=own)
    assert "20003" not in problem.reason
    assert not paths("HPC-NFS-012", network=own)
    assert not paths("HPC-NFS-012", storage=nfs(), network=existing())


SECOND = {"deployment": "single_az_2", "throughput": 320}


@pytest.mark.parametrize(
    ("region", "zone", "level"),
    [
        ("us-east-2", "use2-az2", None),
        ("eu-central-1", "euc1-az1", None),
        ("ap-northeast-3", "apne3-az1", Level.ERROR),
        ("ap-southeast-3", "apse3-az1", Level.ERROR),
        ("ap-east-1", "ape1-az1", Level.ERROR),
        ("eu-west-3", "euw3-az1", Level.WARNING),
    ],
)
def test_the_second_generation_is_not_sold_everywhere(region, zone, level):
    where = {"region": region, "zone": zone}
    assert levels("HPC-NFS-013", storage=nfs(**SECOND), **where) == ([level] if level else [])
    for deployment in ("single_az_1", "multi_az_1"):
        assert not levels("HPC-NFS-013", storage=nfs(deployment=deployment, throughput=320), **where)


def test_what_is_proposed_instead_is_sold_there():
    where = {"region": "ap-northeast-3", "zone": "apne3-az1"}
    (problem,) = problems("HPC-NFS-013", storage=nfs(**SECOND), **where)
    assert problem.path == ("storage", "home", "deployment")
    proposed = int(re.findall(r"throughput: (\d+)", problem.remedy)[0])
    instead = nfs(deployment="single_az_1", throughput=proposed)
    assert proposed == 512
    assert not paths("HPC-NFS-013", storage=instead, **where)
    assert not paths("HPC-NFS-003", storage=instead, **where)


@pytest.mark.parametrize(
    ("server", "export", "found"),
    [
        ("nfs.example.org", "/export/home", []),
        ("10.0.4.7", "/", []),
        (f"{ID}.efs.us-east-2.amazonaws.com", "/", []),
        (f"use2-az2.{ID}.efs.us-east-2.amazonaws.com", "/home", []),
        (f"{ID}.fsx.us-east-2.amazonaws.com", "/fsx", []),
        (f"{ID}.fsx.us-east-2.amazonaws.com", "/fsx/home", []),
        (f"svm-{ID[3:]}.{ID}.fsx.us-east-2.amazonaws.com", "/vol1", []),
        (f"{ID}.fsx.us-east-2.amazonaws.com", "/fsxhome", [Level.WARNING]),
        (f"{ID}.efs.eu-west-1.amazonaws.com", "/", [Level.ERROR]),
        (f"{ID}.fsx.eu-west-1.amazonaws.com", "/fsx", [Level.ERROR]),
        (ID, "/", [Level.ERROR]),
        ("localhost", "/export", [Level.ERROR]),
        ("localhost.localdomain", "/export", [Level.ERROR]),
        ("127.0.1.1", "/export", [Level.ERROR]),
        ("localhosting.example.org", "/export", []),
    ],
)
def test_an_existing_nfs_server_must_be_right(server, export, found):
    assert levels("HPC-MNT-009", storage=nfs(existing={"server": server, "export": export})) == found
