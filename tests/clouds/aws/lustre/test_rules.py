import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.spec.rules.judged import GROUP, existing, paths, problems


def lustre(**changes):
    return {"scratch": {"type": "lustre", "mount": "/fsx"} | changes}


def persistent(**changes):
    return lustre(**({"size": "2400GiB", "deployment": "persistent_2", "throughput": 125} | changes))


KINDS = [
    {"deployment": "scratch_1"},
    {"deployment": "scratch_2"},
    {"deployment": "persistent_1", "throughput": 50},
    {"deployment": "persistent_1", "throughput": 12, "storage": "hdd", "drive_cache": "none"},
    {"deployment": "persistent_1", "throughput": 40, "storage": "hdd", "drive_cache": "read"},
    {"deployment": "persistent_2", "throughput": 1000},
    {"deployment": "persistent_2", "throughput": 125, "efa": True},
    {"deployment": "persistent_2", "throughput": 1000, "efa": True},
]


@pytest.mark.parametrize(
    ("kind", "size", "right"),
    [
        (0, "1200GiB", True), (0, "2.4TiB", True), (0, "3600GiB", True), (0, "4800GiB", False),
        (1, "1.2TiB", True), (1, "2.4TiB", True), (1, "3600GiB", False), (1, "4.8TiB", True), (1, "1100GiB", False),
        (2, "9.6TiB", True), (3, "6TiB", True), (3, "1.2TiB", False), (4, "1800GiB", True), (4, "2.4TiB", False),
        (6, "38.4TiB", True), (6, "4.8TiB", False), (7, "4.8TiB", True), (7, "2.4TiB", False),
        (5, "1.2TiB", True), (5, "2.4TiB", True), (5, "3.6TiB", False), (1, "1.25TiB", False), (1, "1TB", False),
    ],
)  # fmt: skip
def test_a_lustre_size_must_be_sold(kind, size, right):
    found = paths("HPC-FSX-002", storage=lustre(**KINDS[kind], size=size))
    assert found == ([] if right else ["storage.scratch.size"])


@settings(deadline=None)
@given(kind=st.sampled_from(KINDS), gib=st.integers(1, 200_000))
def test_proposed_sizes_are_sold_and_enclose_the_wanted_one(kind, gib):
    for problem in problems("HPC-FSX-002", storage=lustre(**kind, size=f"{gib}GiB")):
        sold = [int(size) for size in re.findall(r"(\d+)GiB", problem.remedy)]
        assert sold
        assert max(sold) > gib
        assert len(sold) == 1 or min(sold) < gib
        for size in sold:
            assert not paths("HPC-FSX-002", storage=lustre(**kind, size=f"{size}GiB"))
            assert not paths("HPC-FSX-002", storage=lustre(**kind, size=f"{size / 1000}TiB"))


def test_new_one_has_a_size():
    (problem,) = problems("HPC-FSX-001", storage=lustre(deployment="persistent_2", throughput=500, efa=True))
    assert "9600GiB" in problem.remedy
    assert paths("HPC-FSX-001", storage=lustre()) == ["storage.scratch"]
    assert not paths("HPC-FSX-002", storage=lustre())


def test_size_is_judged_without_a_throughput_but_not_for_what_is_not_sold():
    assert paths("HPC-FSX-002", storage=lustre(size="1GiB", deployment="persistent_2")) == ["storage.scratch.size"]
    assert not paths("HPC-FSX-002", storage=lustre(size="1GiB", deployment="scratch_2", storage="hdd"))


def test_efa_where_there_is_none_does_not_change_the_steps():
    assert not paths("HPC-FSX-002", storage=lustre(size="1.2TiB", efa=True))


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ({"deployment": "persistent_2", "throughput": 125}, []),
        ({"deployment": "persistent_2"}, ["storage.scratch"]),
        ({"deployment": "persistent_2", "throughput": 200}, ["storage.scratch.throughput"]),
        ({"deployment": "persistent_1", "throughput": 200}, []),
        ({"deployment": "persistent_1", "throughput": 200, "storage": "hdd"}, ["storage.scratch.throughput"]),
        ({"deployment": "scratch_2"}, []),
        ({"deployment": "scratch_2", "throughput": 200}, ["storage.scratch.throughput"]),
    ],
)
def test_a_lustre_throughput_must_be_sold(kind, found):
    assert paths("HPC-FSX-003", storage=lustre(size="1.2TiB", **kind)) == found


def test_the_remedy_names_the_nearest_throughput():
    (problem,) = problems("HPC-FSX-003", storage=persistent(throughput=400))
    assert problem.remedy == "use 500"


@pytest.mark.parametrize(
    ("id", "changes", "found"),
    [
        ("HPC-FSX-004", {"storage": "hdd"}, ["storage.scratch.storage"]),
        ("HPC-FSX-004", {"storage": "hdd", "deployment": "persistent_1", "throughput": 12}, []),
        ("HPC-FSX-005", {"drive_cache": "none"}, ["storage.scratch.drive_cache"]),
        ("HPC-FSX-005", {"storage": "hdd", "deployment": "persistent_1", "throughput": 12}, ["storage.scratch"]),
        ("HPC-FSX-005", {"storage": "hdd", "deployment": "persistent_1", "drive_cache": "read"}, []),
        ("HPC-FSX-006", {"efa": True}, []),
        ("HPC-FSX-006", {"efa": True, "deployment": "persistent_1"}, ["storage.scratch.efa"]),
        ("HPC-FSX-007", {"metadata_iops": 1500}, []),
        ("HPC-FSX-007", {"metadata_iops": 192000}, []),
        ("HPC-FSX-007", {"metadata_iops": 204000}, ["storage.scratch.metadata_iops"]),
        ("HPC-FSX-007", {"metadata_iops": 0}, ["storage.scratch.metadata_iops"]),
        ("HPC-FSX-007", {"metadata_iops": 1500, "deployment": "scratch_2"}, ["storage.scratch.metadata_iops"]),
        ("HPC-FSX-008", {"kms_key": "k"}, []),
        ("HPC-FSX-008", {"kms_key": "k", "deployment": "scratch_1"}, ["storage.scratch.kms_key"]),
        ("HPC-FSX-009", {"backups": "7d"}, []),
        ("HPC-FSX-009", {"backups": "7d", "deployment": "scratch_2"}, ["storage.scratch.backups"]),
        ("HPC-FSX-009", {"backups": "7d", "import_from": "s3://data"}, ["storage.scratch.backups"]),
        ("HPC-FSX-010", {"backups": "90d"}, []),
        ("HPC-FSX-010", {"backups": "91d"}, ["storage.scratch.backups"]),
        ("HPC-FSX-010", {"backups": "12h"}, ["storage.scratch.backups"]),
        ("HPC-FSX-010", {"backups": "0d"}, ["storage.scratch.backups"]),
    ],
)
def test_each_rule_finds_what_fsx_refuses(id, changes, found):
    assert paths(id, storage=persistent(**changes)) == found


def test_metadata_between_steps_gets_both_neighbours():
    (problem,) = problems("HPC-FSX-007", storage=persistent(metadata_iops=13000))
    assert problem.remedy == "use 24000; or use 12000"


def test_existing_one_is_only_mounted():
    there = {"id": "fs-01234567", "dns_name": "fs.example.org", "mount_name": "fsx"}
    assert not paths("HPC-FSX-011", storage=lustre(existing=there))
    assert paths("HPC-FSX-011", storage=lustre(existing=there, size="1.2TiB", efa=False)) == [
        "storage.scratch.efa",
        "storage.scratch.size",
    ]
    for id in ("HPC-FSX-001", "HPC-FSX-002", "HPC-FSX-022"):
        assert not paths(id, storage=lustre(existing=there, size="1GiB"))


def test_wrong_ids_of_an_existing_lustre_are_found():
    there = {"id": "fs-XYZ", "dns_name": "https://fs", "mount_name": "a/b"}
    assert paths("HPC-FSX-022", storage=lustre(existing=there)) == [
        "storage.scratch.existing.id",
        "storage.scratch.existing.dns_name",
        "storage.scratch.existing.mount_name",
    ]


@pytest.mark.parametrize(("efa", "ports"), [(False, "1018 to 1023"), (True, "all traffic")])
def test_own_security_groups_must_open_lustre_ports(efa, ports):
    own = existing(security_groups={"head": [GROUP], "compute": [GROUP], "storage": [GROUP]})
    (problem,) = problems("HPC-FSX-024", storage=persistent(efa=efa), network=own)
    assert ports in problem.reason
    assert GROUP in problem.remedy
    assert not paths("HPC-FSX-024", network=own)
    assert not paths("HPC-FSX-024", storage=persistent(), network=existing())
