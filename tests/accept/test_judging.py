"""What parts of a queue's job make of their output."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hpc_components.accept import expected
from hpc_components.accept.checks import fabric, files, gpus, local_disks, nodes
from hpc_components.accept.checks.part import Part, QueueRun, by_node
from hpc_components.accept.job import read_jobs
from hpc_components.accept.plan import plan_acceptance
from hpc_components.accept.result import Code, Figure, Outcome, State, judged
from hpc_components.accept.start_time import start_time
from hpc_components.aws.home.model import Efs, ExistingNfs
from hpc_components.aws.home.model import Nfs as AwsNfs
from hpc_components.aws.lustre.model import Lustre as AwsLustre
from hpc_components.azure.home.model import Nfs as AzureNfs
from hpc_components.azure.lustre.model import Lustre as AzureLustre
from hpc_components.gcp.home.model import Nfs as GcpNfs
from hpc_components.gcp.lustre.model import Lustre as GcpLustre
from hpc_components.spec.storage import LustreFileSystem
from hpc_components.spec.values import Size
from tests.rehearse.performing import described


def run_of(stack: str, queue: str, **changes) -> QueueRun:
    (run,) = plan_acceptance(described(stack), queues=[queue]).runs
    return replace(run, user="alice", **changes)


def outcome(part: Part | None, text: str) -> Outcome:
    assert part is not None
    (found,) = part.judge(text)
    return found


def test_a_silent_node_fails_what_every_node_must_do() -> None:
    run = run_of("aws-cfd", "compute-queue")
    found = outcome(files.home(run), "@compute-queue-1: alice alice 755 /home/alice\nsrun: error: no")
    assert (found.state, found.detail) == (State.FAILED, "1 of 2 nodes answered: srun: error: no")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("alice root 755 /home/alice", "belongs to root"),
        ("alice alice 775 /home/alice", "others may write"),
        ("root root 700 /root", "the account is root, not alice"),
        ("alice alice 79² /home/alice", "no home directory"),
        ("alice stat: cannot statx: No such file /home/alice", "no home directory"),
        ("", "no answer"),
    ],
)
def test_a_home_directory_that_sshd_would_refuse_fails(line: str, words: str) -> None:
    assert any(words in fault for fault in files.home_faults(line, "alice"))


@pytest.mark.parametrize("mode", ["700", "750", "755", "2700"])
def test_a_home_directory_of_the_user_is_sound(mode: str) -> None:
    assert files.home_faults(f"alice alice {mode} /home/alice", "alice") == []


def test_a_missing_or_doubled_rank_fails() -> None:
    run = run_of("aws-cfd", "compute-queue", ranks_per_node=2)
    lines = [f"rank {rank} of 4 on compute-queue-{1 + rank // 2}" for rank in range(4)]
    assert outcome(nodes.ranks(run), "\n".join(lines)).state is State.PASSED
    assert outcome(nodes.ranks(run), "\n".join([*lines[:3], lines[2]])).state is State.FAILED
    assert outcome(nodes.ranks(run), "\n".join(lines).replace("queue-2", "queue-1")).state is State.FAILED


def test_different_addresses_of_a_name_fail() -> None:
    run = run_of("aws-cfd", "compute-queue")
    text = "@a-1: head 10.0.0.1\n@a-1: a-2 10.0.0.3\n@a-2: head 10.0.0.9\n@a-2: a-1 10.0.0.2\n"
    found = outcome(nodes.names(run), text)
    assert (found.state, found.detail) == (State.FAILED, "head has different addresses: 10.0.0.1, 10.0.0.9")


OSU = """\
tool osu
# OSU MPI Latency Test v7.3
# Size          Latency (us)
8                       {latency}
@ bandwidth
# OSU MPI Bandwidth Test v7.3
4194304              {bandwidth}
"""


@pytest.mark.parametrize(
    ("stack", "latency", "bandwidth", "state"),
    [
        ("azure-hbv4", "1.85", "48000.00", State.PASSED),
        ("azure-hbv4", "28.10", "48000.00", State.FAILED),  # TCP instead of InfiniBand
        ("azure-hbv4", "1.85", "2900.00", State.FAILED),
        ("aws-cfd", "16.00", "9500.00", State.PASSED),
        ("aws-cfd", "75.00", "9500.00", State.WARNED),  # its limit has no primary source
    ],
)
def test_mpi_is_judged_by_the_limits_of_its_fabric(stack: str, latency: str, bandwidth: str, state: State) -> None:
    run = run_of(stack, "compute-queue")
    found = outcome(fabric.mpi(run), OSU.format(latency=latency, bandwidth=bandwidth))
    assert found.state is state
    assert [figure.unit for figure in found.figures] == ["µs", "MiB/s"]
    assert all(figure.source for figure in found.figures)
    assert outcome(fabric.mpi(replace(run, speeds_count=False)), found_text(latency)).state is State.SHOWN


def found_text(latency: str) -> str:
    return f"tool pingpong\nlatency {latency}\nbandwidth 900.0\n"


def test_an_mpi_that_does_not_start_fails_and_a_missing_one_is_left_out() -> None:
    part = fabric.mpi(run_of("azure-hbv4", "compute-queue"))
    assert outcome(part, "tool pingpong\nsrun: error: PMIx").detail == "MPI does not run: srun: error: PMIx"
    of_mpi = "-----\n[a:7] *** An error occurred in MPI_Recv\n[a:7] *** on a NULL"
    failed = f"tool pingpong\nlatency 3.1\n{of_mpi}\nsrun: error: a: task 0: Exited with exit code 14"
    assert outcome(part, failed).detail == "MPI does not run: [a:7] *** An error occurred in MPI_Recv"
    assert outcome(part, "no tool: the nodes have no MPI").state is State.LEFT_OUT


def test_a_step_that_gets_too_few_gpus_fails() -> None:
    run = run_of("gcp-ultracluster", "gpu")
    sound = "@gpu-1: 8\n@gpu-1: 0,1,2,3,4,5,6,7\n"
    assert outcome(gpus.count(run), sound + sound.replace("gpu-1", "gpu-2")).state is State.PASSED
    found = outcome(gpus.count(run), f"{sound}@gpu-2: 8\n@gpu-2: 0,1\n")
    assert found.detail == "gpu-2: a step that asks for 8 GPUs gets 2"


def test_bus_bandwidth_below_half_the_fabric_warns() -> None:
    run = run_of("gcp-ultracluster", "gpu")
    limit = expected.nccl_bandwidth(run.queue)
    assert limit is not None
    text = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : {:.3f}\n"
    assert outcome(gpus.nccl(run), text.format(limit.value + 1)).state is State.PASSED
    assert outcome(gpus.nccl(run), text.format(limit.value - 1)).state is State.WARNED
    assert outcome(gpus.nccl(run), "NCCL failure: unhandled system error").state is State.FAILED


def lustre_run(**promised: object) -> QueueRun:
    """A run that tests only /fsx, a Lustre file system with 1000 MB/s per TiB on 2.4 TiB."""
    run = run_of("aws-cfd", "compute-queue", folder="/home/alice/x", folders={"/fsx": "/fsx/x"})
    store = next(store for store in run.cluster.storage.values() if store.mount == "/fsx")
    wanted = {"deployment": "persistent_2", "throughput": 1000, "size": Size.parse("2.4TiB"), **promised}
    cluster = run.cluster.model_copy(update={"storage": {"scratch": store.model_copy(update=wanted)}})
    return replace(run, cluster=cluster)


THROUGHPUT = """\
striped /fsx
@ /fsx write
@n-1: write 1073741824 100.0 {end} direct
@n-2: write 1073741824 100.0 {end} direct
@ /fsx read
@n-1: read 1073741824 200.0 {later} direct
@n-2: read 1073741824 200.0 {later} direct
"""


def measured(seconds: float) -> str:
    """Output of two nodes that each take this long for each GiB."""
    return THROUGHPUT.format(end=100 + seconds, later=200 + seconds)


@pytest.mark.parametrize(
    ("seconds", "state"),
    # two flows of 5 Gbit/s carry 1192 MiB/s, which is less than the 2400 MB/s of the file system
    [(2.0, State.PASSED), (5.0, State.WARNED), (10.0, State.FAILED)],
)
def test_a_slow_disk_warns_below_half_and_fails_below_a_quarter(seconds: float, state: State) -> None:
    found = outcome(files.throughput(lustre_run()), measured(seconds))
    assert found.state is state
    figures = {figure.name: figure for figure in found.figures}
    assert figures["/fsx write, slowest node"].value == pytest.approx(1024 / seconds)
    together = figures["/fsx write, all nodes"]
    assert together.value == pytest.approx(2048 / seconds, abs=0.1)
    assert (together.at_least, together.warn_below) == (298.0, 596.0)
    assert "FSx for Lustre user guide" in together.source
    assert ("expected at least 596" in found.detail) is (state is State.WARNED)
    assert ("expected at least 298" in found.detail) is (state is State.FAILED)


def test_a_small_file_system_is_expected_to_be_slower_than_the_network() -> None:
    run = lustre_run(deployment="scratch_2", throughput=None, size=Size.parse("1.2TiB"))
    found = outcome(files.throughput(run), measured(10.0))
    assert found.state is State.PASSED
    assert found.figures[1].at_least == pytest.approx(0.25 * 200 * 1200 / 1024 * 1e6 / 2**20, abs=0.1)


def test_files_on_one_disk_of_lustre_only_warn() -> None:
    text = measured(10.0).replace("striped /fsx", "bash: line 1: lfs: command not found")
    found = outcome(files.throughput(lustre_run()), text)
    assert found.state is State.WARNED
    assert "lfs could not spread the files over all disks" in found.detail


def test_an_existing_file_system_is_shown_but_not_judged() -> None:
    run = run_of("aws-cfd", "compute-queue", folder="/home/alice/x", folders={"/fsx": "/fsx/x"})
    existing = ExistingNfs(server="files.example.org", export="/fsx")
    store = AwsNfs(type="nfs", mount="/fsx", existing=existing)
    assert store.stated_throughput  # that of a new one
    run = replace(run, cluster=run.cluster.model_copy(update={"storage": {"scratch": store}}))
    assert outcome(files.throughput(run), measured(100.0)).state is State.SHOWN


@pytest.mark.parametrize(
    ("model", "wanted", "write", "read"),
    [
        (AwsNfs, {"size": "1TiB", "throughput": 128}, 122.07, 122.07),
        (AwsLustre, {"size": "2.4TiB", "deployment": "scratch_2"}, 447.03, 447.03),
        (AwsLustre, {"size": "6TiB", "deployment": "persistent_1", "storage": "hdd", "throughput": 12}, 67.06, 67.06),
        (AzureNfs, {"size": "2TiB", "service": "netapp", "level": "standard"}, 32, 32),
        (AzureNfs, {"size": "1TiB", "service": "files"}, 203, 203),
        (AzureLustre, {"size": "16TiB", "throughput": 125}, 1907.35, 1907.35),
        (GcpNfs, {"size": "2TiB", "tier": "zonal"}, 176, 520),
        (GcpLustre, {"size": "9000GiB", "throughput": 1000}, 8381.9, 8381.9),
    ],
)
def test_clouds_state_the_throughput_of_what_they_sell(model, wanted, write, read) -> None:
    kind = "lustre" if issubclass(model, LustreFileSystem) else "nfs"
    stated = model.model_validate({"type": kind, "mount": "/data", **wanted}).stated_throughput
    assert (stated.write, stated.read) == (pytest.approx(write, abs=0.01), pytest.approx(read, abs=0.01))
    assert "documentation" in stated.source or "user guide" in stated.source or "API" in stated.source


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        (Efs, {"type": "efs"}),  # its documentation states upper limits only
        (GcpNfs, {"type": "nfs", "size": "2TiB", "tier": "regional"}),
        (AwsLustre, {"type": "lustre"}),
        (AzureNfs, {"type": "nfs"}),
    ],
)
def test_a_file_system_without_a_stated_throughput_has_none(model, wanted) -> None:
    assert model.model_validate({"mount": "/data", **wanted}).stated_throughput is None


def test_a_node_that_can_not_write_fails_the_measurement() -> None:
    text = measured(1.0).replace("@n-2: write 1073741824", "@n-2: OSError: quota")
    found = outcome(files.throughput(lustre_run()), text)
    assert found.state is State.FAILED
    assert "write: 1 of 2 nodes measured it" in found.detail


LOCAL = "@n-{node}: write 1073741824 100.0 {write} direct\n@n-{node}: read 1073741824 200.0 {read} direct\n"


def test_local_disks_must_be_mounted_and_show_the_slowest_node() -> None:
    part = local_disks.local_scratch(run_of("gcp-ultracluster", "gpu", nodes=2))
    assert part
    first = LOCAL.format(node=1, write=101, read=200.5)
    mounted, rates = part.judge(first + LOCAL.format(node=2, write=102, read=200.25))
    assert (mounted.state, rates.state) == (State.PASSED, State.SHOWN)
    assert [figure.value for figure in rates.figures] == [512.0, 2048.0]
    mounted, _ = part.judge(f"{first}@n-2: not mounted\n")
    assert mounted.state is State.FAILED
    assert "n-2: /" in mounted.detail
    assert "is not mounted, so that jobs fill the root disk" in mounted.detail
    mounted, _ = part.judge(f"{first}@n-2: mktemp: failed to create directory: Permission denied\n")
    assert "n-2: mktemp: failed" in mounted.detail
    assert local_disks.local_scratch(run_of("aws-cfd", "compute-queue")) is None


def test_local_disks_of_a_rehearsal_are_left_out() -> None:
    part = local_disks.local_scratch(run_of("gcp-ultracluster", "gpu", speeds_count=False))
    assert outcome(part, "@n-1: not mounted\n@n-2: not mounted\n").state is State.LEFT_OUT


def test_boot_steps_are_read_and_the_slowest_shown() -> None:
    run = run_of("aws-cfd", "compute-queue")
    steps = [{"step": "packages", "seconds": 9.5}, {"step": "slurmd", "seconds": 0.5}]
    together = 9.75  # one runs beside the other
    record = json.dumps({"role": "compute", "seconds": together, "steps": steps}, indent=1)
    text = "\n".join(f"@n-1: {line}" for line in record.splitlines())
    assert nodes.boot_of(text)["n-1"].steps == {"packages": 9.5, "slurmd": 0.5}
    found = outcome(nodes.boot_steps(run), text)
    assert found.state is State.SHOWN
    assert [(figure.name, figure.value) for figure in found.figures][:2] == [
        ("all steps of the first boot", 9.8), ("step packages", 9.5),
    ]  # fmt: skip
    assert outcome(nodes.boot_steps(run), "@n-1: none").state is State.LEFT_OUT


JOB = (
    "JobId=7 JobState={state} Reason={reason} NodeList=q-[1-2] EligibleTime=2026-11-29T05:00:00"
    " StartTime=2026-11-29T05:03:00 ExitCode=0:0"
)


def test_a_start_is_divided_at_the_latest_node() -> None:
    jobs = read_jobs(JOB.format(state="COMPLETED", reason="None"), [7])
    assert jobs
    shown = (
        "NodeName=q-1 BootTime=2026-11-29T05:01:00 SlurmdStartTime=2026-11-29T05:02:00\n"
        "NodeName=q-2 BootTime=2026-11-29T05:01:10 SlurmdStartTime=2026-11-29T05:02:50\n"
    )
    found = start_time("q", jobs[7], shown)
    assert [(figure.name, figure.value) for figure in found.figures] == [
        ("sbatch to running", 180), ("sbatch to kernel", 70), ("kernel to slurmd", 100), ("slurmd to running", 10),
    ]  # fmt: skip
    running = start_time("q", jobs[7], shown.replace("T05:01", "T04:01"))
    assert running.detail == "the nodes were running already"


def test_a_job_that_slurmctld_forgot_is_unknown_and_a_silent_one_is_asked_again() -> None:
    assert read_jobs("slurm_load_jobs error: Unable to contact slurm controller", [7]) is None
    jobs = read_jobs("slurm_load_jobs error: Invalid job id specified", [7])
    assert jobs
    assert jobs[7].ended
    waiting = read_jobs(JOB.format(state="PENDING", reason="Dependency"), [7])
    assert waiting
    assert not waiting[7].waits_for_nodes


@given(st.text())
@example("²")  # a digit that is not a number
def test_no_output_of_a_node_breaks_a_judgement(text: str) -> None:
    run = replace(lustre_run(), ranks_per_node=2)
    makers: list[Callable[[QueueRun], Part | None]] = [
        nodes.ranks, nodes.names, files.home, files.shared, fabric.devices, fabric.mpi, files.throughput,
        nodes.boot_steps,
    ]  # fmt: skip
    for make in makers:
        part = make(run)
        assert part
        framed = f"@n-1: {text}\n@n-2: {text}"
        assert all(each.state is not State.PASSED or by_node(framed) for each in part.judge(framed))


@given(st.floats(0.1, 1e6), st.floats(0.1, 1e6), st.booleans())
def test_a_figure_decides_its_outcome(value: float, limit: float, unsure: bool) -> None:
    figure = Figure(name="f", value=value, unit="s", at_least=limit, unsure=unsure)
    found = judged(Code.MPI, "w", "", [figure])
    wanted = State.PASSED if value >= limit else State.WARNED if unsure else State.FAILED
    assert found.state is wanted


@given(st.floats(0.1, 1e6), st.floats(0.1, 1e6))
def test_a_figure_between_its_limits_warns(value: float, limit: float) -> None:
    figure = Figure(name="f", value=value, unit="s", at_least=limit, warn_below=2 * limit)
    wanted = State.FAILED if value < limit else State.WARNED if value < 2 * limit else State.PASSED
    assert judged(Code.THROUGHPUT, "w", "", [figure]).state is wanted
