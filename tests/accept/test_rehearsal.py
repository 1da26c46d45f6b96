"""Rehearsed clusters on real daemons: sound ones are accepted, broken ones fail at the right line."""

from functools import cache

import pytest

from hpc_components.accept.result import Acceptance, Code, State
from tests.accept import scenes
from tests.rehearse.performing import lacks

pytestmark = [pytest.mark.slurm, pytest.mark.slow]


@cache
def sound(stack: str, release: str) -> tuple[Acceptance, list[str]]:
    return scenes.accepted(stack, release)


def needs(release: str) -> None:
    if reason := lacks(release):
        pytest.skip(reason)


@pytest.mark.parametrize(
    ("stack", "release", "expected"),
    [
        ("aws-cfd", "22.05", {Code.FABRIC}),
        ("aws-cfd", "24.11", {Code.FABRIC}),
        ("gcp-ultracluster", "24.11", {Code.FABRIC, Code.GPUS}),
        ("azure-hbv4", "22.05", {Code.FABRIC}),
    ],
)
def test_a_sound_cluster_is_accepted(stack: str, release: str, expected: set[Code]) -> None:
    needs(release)
    acceptance, _ = sound(stack, release)
    assert scenes.failed(acceptance) == {}
    assert acceptance.passed
    passed = {each.code for each in acceptance.outcomes if each.state is State.PASSED}
    assert passed >= expected | {
        Code.LOGIN, Code.HOME, Code.SHARED_FILES, Code.JOB, Code.RANKS, Code.NAMES,
    }  # fmt: skip


def test_queues_run_one_after_the_other_on_their_own_nodes() -> None:
    needs("22.05")
    acceptance, said = sound("aws-cfd", "22.05")
    assert {job.queue: sorted(job.names) for job in acceptance.jobs} == {
        "compute-queue": ["compute-queue-1", "compute-queue-2"],
        "spot": ["spot-1", "spot-2"],
    }
    ended = said.index("queue compute-queue: job 1 is COMPLETED")
    assert said.index("queue spot: job 2 is RUNNING") > ended


def test_figures_are_shown_but_not_judged_in_a_rehearsal() -> None:
    needs("22.05")
    acceptance, _ = sound("aws-cfd", "22.05")
    figures = {figure.name: figure for each in acceptance.outcomes for figure in each.figures}
    assert {"sbatch to running", "kernel to slurmd", "/fsx write, all nodes", "/home read, slowest node"} <= set(
        figures
    )
    assert not any(figure.judged for figure in figures.values())
    assert all(figure.value >= 0 for figure in figures.values())


def test_accounting_has_the_rows_of_all_jobs() -> None:
    needs("24.11")
    acceptance, _ = sound("aws-university", "24.11")
    rows = scenes.outcomes(acceptance, Code.ACCOUNTING)
    assert [each.state for each in rows] == [State.PASSED] * len(acceptance.jobs)
    assert all("COMPLETED" in each.detail for each in rows)


@pytest.mark.parametrize(
    ("stack", "queue", "break_node", "code", "words"),
    [
        ("aws-cfd", "compute-queue", scenes.lose_names, Code.NAMES, "compute-queue-2 can't resolve compute-queue-1"),
        ("aws-cfd", "compute-queue", scenes.lose_fabric, Code.FABRIC, "compute-queue-2 has 0 of 1 interfaces"),
        ("aws-cfd", "compute-queue", scenes.lose_home, Code.HOME, "/home/alice belongs to root"),
        ("aws-cfd", "compute-queue", scenes.unshare_files, Code.SHARED_FILES, "compute-queue-2: not the same files"),
        ("gcp-ultracluster", "gpu", scenes.lose_gpu, Code.GPUS, "gpu-2 has 7 of 8 GPUs"),
        ("gcp-ultracluster", "gpu", scenes.lose_local_disks, Code.LOCAL_SCRATCH, "gpu-2: /mnt/local is not mounted"),
    ],
)
def test_a_broken_cluster_fails_at_the_line_of_its_fault(stack, queue, break_node, code, words) -> None:
    needs("22.05")
    acceptance = scenes.broken(stack, queue, break_node)
    assert not acceptance.passed
    found = scenes.failed(acceptance)
    assert words in found[code]
    # files that are not shared can't be measured either
    assert set(found) <= {code, Code.THROUGHPUT} if code is Code.SHARED_FILES else set(found) == {code}


def test_mpi_over_the_slow_network_fails_where_the_fabric_is_known() -> None:
    needs("22.05")
    acceptance = scenes.broken("azure-hbv4", "compute-queue", scenes.nothing, judge_speeds=True)
    (mpi,) = scenes.outcomes(acceptance, Code.MPI)
    if mpi.state is State.LEFT_OUT:
        pytest.skip(mpi.detail)
    assert mpi.state is State.FAILED
    assert "MPI latency is" in mpi.detail
    assert "expected at most 5" in mpi.detail
    assert set(scenes.failed(acceptance)) == {Code.MPI}


def test_a_slow_disk_fails_the_throughput_of_its_file_system_only() -> None:
    needs("22.05")
    if reason := scenes.lacks_slow_disks():
        pytest.skip(reason)
    acceptance = scenes.slowed("aws-cfd", "compute-queue", "/home")
    lines = scenes.outcomes(acceptance, Code.THROUGHPUT)
    found = {each.what.removeprefix("sequential throughput of "): each for each in lines}
    assert found["/home"].state is State.FAILED
    assert "direct I/O" in found["/home"].detail
    assert "/home write, all nodes is" in found["/home"].detail
    assert "/home read, all nodes is" in found["/home"].detail
    assert all("expected at least 30.5" in part for part in found["/home"].detail.split("; ")[:2])
    assert found["/fsx"].state in (
        State.PASSED,
        State.WARNED,
    )  # this machine's memory, judged as a Lustre without lfs
    assert set(scenes.failed(acceptance)) == {Code.THROUGHPUT}
    assert not acceptance.passed


def test_a_bucket_that_one_node_may_not_write_fails_for_its_queue() -> None:
    needs("22.05")
    acceptance, store = scenes.with_bucket("gcp-h4d", "mpi", "POST hpc-accept-.*-mpi-2")
    on_login, on_queue = scenes.outcomes(acceptance, Code.BUCKETS)
    assert on_login.state is State.PASSED
    assert (on_queue.state, on_queue.where) == (State.FAILED, "mpi")
    assert on_queue.detail.startswith("mpi-2: OSError: POST http://")
    assert on_queue.detail.endswith(": 403 Forbidden")
    assert set(scenes.failed(acceptance)) == {Code.BUCKETS}
    assert store.objects == {}
    assert sorted(set(store.calls)) == ["DELETE object", "GET object", "POST object"]
    assert store.calls.count("DELETE object") == 2  # where users log in, and on mpi-1
