import pytest

from tests.spec.rules.judged import existing, paths, problems

ID, OTHER = "fs-0123456789abcdef0", "fs-0fedcba9876543210"


def lustre(dns_name=f"{ID}.fsx.us-east-2.amazonaws.com", id=ID, mount="/fsx"):
    return {
        "type": "lustre",
        "mount": mount,
        "existing": {"id": id, "dns_name": dns_name, "mount_name": "3pzlabmv"},
    }


def nfs(server, export="/export/home", mount="/home"):
    return {"type": "nfs", "mount": mount, "existing": {"server": server, "export": export}}


@pytest.mark.parametrize(
    ("dns_name", "right"),
    [
        (f"{ID}.fsx.us-east-2.amazonaws.com", True),
        ("lustre.example.org", True),
        ("10.0.4.7", True),
        (f"{ID}.fsx.us-east-1.amazonaws.com", False),
        (f"{ID}.fsx.us-east-2.amazonaws.com.cn", True),
        (f"{OTHER}.fsx.us-east-2.amazonaws.com", False),
        (f"{ID}.efs.us-east-2.amazonaws.com", False),
        (ID, False),
        (f"{ID}.fsx.us-east-2.amazonaws", False),
    ],
)
def test_an_existing_lustre_has_a_right_dns_name(dns_name, right):
    found = paths("HPC-MNT-008", storage={"scratch": lustre(dns_name)})
    assert found == ([] if right else ["storage.scratch.existing.dns_name"])


def test_an_id_that_is_none_is_told_by_its_own_rule():
    assert not paths("HPC-MNT-008", storage={"scratch": lustre(id="scratch")})


@pytest.mark.parametrize(
    ("one", "other", "right"),
    [
        (nfs("a.example.org"), nfs("a.example.org", "/export/data", "/data"), True),
        (nfs("a.example.org"), nfs("b.example.org", mount="/data"), True),
        (nfs("a.example.org"), nfs("a.example.org", "/export/home/", "/data"), False),
        (lustre(), lustre(mount="/data"), False),
        (lustre(), lustre(id=OTHER, mount="/data"), True),
    ],
)
def test_a_store_is_mounted_only_once(one, other, right):
    assert bool(paths("HPC-MNT-006", storage={"one": one, "other": other})) is not right


@pytest.mark.parametrize(
    ("store", "right"),
    [
        (lustre(), False), (nfs("10.0.4.7"), False), (nfs(f"{ID}.efs.us-east-2.amazonaws.com"), False),
        (nfs("nfs.example.org"), True), (nfs("198.51.100.7"), True),
    ],
)  # fmt: skip
def test_an_existing_store_must_be_in_reach(store, right):
    assert bool(paths("HPC-MNT-007", storage={"one": store})) is not right
    assert not paths("HPC-MNT-007", storage={"one": store}, network=existing())


def test_the_way_out_can_be_typed():
    (problem,) = problems("HPC-MNT-008", storage={"scratch": lustre(ID)})
    assert problem.remedy == f"write {ID}.fsx.us-east-2.amazonaws.com"
