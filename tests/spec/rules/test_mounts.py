import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .judged import paths, problems, queue


def mounted(*mounts):
    return {f"s{index}": {"type": "efs", "mount": mount} for index, mount in enumerate(mounts)}


@pytest.mark.parametrize("mount", ["/home", "/a/b", "/a-b_c.d", "/"])
def test_a_right_mount_is_accepted(mount):
    assert not paths("HPC-MNT-001", storage=mounted(mount))


@pytest.mark.parametrize("mount", ["", "home", "/home/", "//home", "/a b", "/a,b", "/a/../b", "/a/./b", "~/x", "/ä"])
def test_a_wrong_mount_is_found(mount):
    assert paths("HPC-MNT-001", storage=mounted(mount)) == ["storage.s0.mount"]
    assert not paths("HPC-MNT-002", storage=mounted(mount))


@settings(deadline=None)
@given(st.text(max_size=20))
def test_proposed_directory_is_right(mount):
    for problem in problems("HPC-MNT-001", storage=mounted(mount)):
        proposed = problem.remedy.rpartition(": ")[2]
        assert not paths("HPC-MNT-001", storage=mounted(proposed))


@pytest.mark.parametrize("mount", ["/", "/usr", "/usr/local", "/opt", "/tmp", "/var/lib", "/opt/slurm/x", "/opt/hpc"])
def test_a_mount_over_a_system_directory_is_found(mount):
    (problem,) = problems("HPC-MNT-002", storage=mounted(mount))
    proposed = problem.remedy.rpartition(": ")[2]
    assert not paths("HPC-MNT-002", storage=mounted(proposed))


@pytest.mark.parametrize("mount", ["/opt/apps", "/mnt/data", "/media/x", "/home", "/usrlocal", "/opt/hpcx"])
def test_a_free_directory_is_accepted(mount):
    assert not paths("HPC-MNT-002", storage=mounted(mount))


@pytest.mark.parametrize(
    ("one", "other", "right"),
    [("/a", "/b", True), ("/a", "/ab", True), ("/a", "/a", False), ("/a", "/a/b", False), ("/a/b", "/a", False)],
)
def test_mounts_must_not_lie_in_one_another(one, other, right):
    assert paths("HPC-MNT-003", storage=mounted(one, other)) == ([] if right else ["storage.s1.mount"])
    own = [queue(local_scratch=other)]
    assert paths("HPC-MNT-004", storage=mounted(one), queues=own) == ([] if right else ["queues[0].local_scratch"])


def test_two_queues_may_use_the_same_directory():
    queues = [queue(local_scratch="/scratch"), queue(name="gpu", local_scratch="/scratch")]
    for id in ("HPC-MNT-003", "HPC-MNT-004"):
        assert not paths(id, queues=queues)


def test_proposed_scratch_is_free():
    (problem,) = problems("HPC-MNT-004", storage=mounted("/scratch"), queues=[queue(local_scratch="/scratch/x")])
    assert problem.remedy.endswith("/local")


def test_a_cluster_needs_a_shared_home():
    assert paths("HPC-MNT-005") == ["storage"]
    assert paths("HPC-MNT-005", storage=mounted("/data")) == ["storage"]
    assert not paths("HPC-MNT-005", storage=mounted("/home"))
