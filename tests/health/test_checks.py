"""Each check on an emulated machine: a healthy one passes, and each fault is found by its own check alone."""

import errno
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from hpc_components.catalog.health_checks import health_checks
from hpc_components.health.node import commands
from hpc_components.health.node.history import History, read_history, write_history
from hpc_components.health.node.looks import CHECKS, LOOKS, Look, failures, run_checks
from hpc_components.health.node.machine import Machine
from tests.health.emulated import DIAG_PASS, SCRATCH, SHARED, Emulated, wanted

Break = Callable[[Emulated], object]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Emulated:
    made = Emulated(tmp_path).build()
    monkeypatch.setenv("PATH", made.environment["PATH"])
    return made


def failed_at(machine: Emulated, moment: str, history: History | None = None, now: float = 0.0) -> list[str]:
    look = Look(moment=moment, wanted=wanted(), now=now, machine=Machine(machine.root), history=history or History())
    return list(failures(run_checks(look)))


def xid(code: int, words: str) -> str:
    return f"NVRM: Xid (PCI:0000:cb:00): {code}, pid='<unknown>', name=<unknown>, {words}"


def without_a_gpu(machine: Emulated) -> None:
    (machine.root / "proc/driver/nvidia/gpus/0000:07:00.0").rmdir()


def failing_diag() -> str:
    document = json.loads(json.dumps(DIAG_PASS))
    document["DCGM Diagnostic"]["test_categories"][0]["tests"][0]["results"][0]["status"] = "Fail"
    return json.dumps(document)


HOME, FSX = SHARED
MOUNTED = {"/": "ext4", HOME: "nfs4", FSX: "lustre", SCRATCH: "ext4"}

FAULTS: dict[str, tuple[str, Break, str]] = {
    "a GPU is missing": ("boot prolog epilog idle", without_a_gpu, "gpus: 7 GPUs, but slurm.conf says 8"),
    "a GPU has fallen off the bus": (
        "boot prolog epilog idle",
        lambda it: it.kernel_says(xid(79, "GPU has fallen off the bus.")),
        "xid: Xid 79 of GPU 0000:cb:00: fallen off the bus",
    ),
    "a partition of a GPU has failed": (
        "boot prolog epilog idle",
        lambda it: it.kernel_says("NVRM: Xid (PCI:0000:cb:00 GPU-I:05): 95, Uncontained error"),
        "xid: Xid 95 of GPU 0000:cb:00: uncontained memory error",
    ),
    "memory is corrupt": ("boot idle", lambda it: it.tool_says("smi.counts", "0\n0\n2\n" + "0\n" * 5),
                          "gpu_memory: GPU 2: 2 uncorrectable memory errors"),
    "a remapping has failed": ("boot idle", lambda it: it.tool_says("smi.rows", "No\nYes\n" + "No\n" * 6),
                               "gpu_memory: GPU 1: a row of its memory could not be remapped"),
    "a GPU is lost": ("boot idle", lambda it: it.tool_does("nvidia-smi", "exit 15"),
                      "gpu_memory: nvidia-smi can't reach a GPU"),
    "DCGM's diagnostic fails": ("boot", lambda it: it.tool_says("dcgm.diag", failing_diag()), "dcgm: DCGM: software"),
    "DCGM has seen a failure": (
        "idle",
        lambda it: it.tool_says("dcgm.health", json.dumps({"body": {"Overall Health": {"value": "Failure"}}})),
        "dcgm: DCGM: Overall Health",
    ),
    "a port is down": ("boot prolog idle", lambda it: it.port("mlx5_ib3", state="1: DOWN"),
                       "fabric: 7 active ports of 8: mlx5_ib3/1 down"),
    "a port is slow": ("boot prolog idle", lambda it: it.port("mlx5_ib3", rate="100 Gb/sec (4X EDR)"),
                       "fabric: mlx5_ib3/1: 100 Gb/s, but the machine has 400"),
    "the root disk is read-only": ("boot prolog idle", lambda it: it.mounts(MOUNTED, read_only="/"),
                                   "disk: the root disk is read-only"),
    "the scratch is read-only": ("boot prolog idle", lambda it: it.mounts(MOUNTED, read_only=SCRATCH),
                                 f"scratch: {SCRATCH} is read-only"),
    "the scratch is not mounted": (
        "boot prolog idle",
        lambda it: it.mounts({path: type for path, type in MOUNTED.items() if path != SCRATCH}),
        f"scratch: {SCRATCH} is not mounted",
    ),
    "a disk is unreliable": ("boot idle", lambda it: it.tool_says("nvme.nvme1", "4"),
                             "nvme: nvme1: critical warning 0x4"),
    "memory is missing": ("boot idle", lambda it: it.write("proc/meminfo", "MemTotal: 1048576 kB\n"),
                          "memory: 1024 MiB of memory, fewer than 1723218"),
    "the kernel counts errors": (
        "boot prolog idle",
        lambda it: it.write("sys/devices/system/edac/mc/mc0/ue_count", "1\n"),
        "memory_errors: 1 uncorrectable memory errors",
    ),
    "a shared file system is not mounted": (
        "boot prolog idle",
        lambda it: it.mounts({path: type for path, type in MOUNTED.items() if path != FSX}),
        f"mounts: {FSX} is not mounted",
    ),
    "the clock is off": ("idle", lambda it: it.tool_says("chrony", "A9FE,x,4,1,-31.5,0,0,9,0,0,0,0,64.5,Normal\n"),
                         "clock: the clock is 32 s off"),
}  # fmt: skip


@pytest.mark.parametrize("moment", ["boot", "prolog", "epilog", "idle"])
def test_a_healthy_machine_passes_at_each_moment(machine: Emulated, moment: str) -> None:
    assert failed_at(machine, moment) == []


@pytest.mark.parametrize("moment", ["boot", "prolog", "epilog", "idle"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_at_its_moments_and_by_its_check_alone(machine: Emulated, fault: str, moment: str) -> None:
    moments, damage, words = FAULTS[fault]
    damage(machine)
    assert failed_at(machine, moment) == ([words] if moment in moments.split() else [])


def test_the_catalogue_and_the_program_have_the_same_checks() -> None:
    assert list(CHECKS) == list(health_checks())
    assert {words.partition(":")[0] for _, _, words in FAULTS.values()} == set(CHECKS) - {"fabric_flaps"}


@pytest.mark.parametrize("code", [13, 31, 43, 45, 63, 92, 94, 154])
def test_a_message_that_asks_for_no_reset_is_left_alone(machine: Emulated, code: int) -> None:
    machine.kernel_says(xid(code, "79, not the code"))
    assert failed_at(machine, "idle") == []


@pytest.mark.parametrize("tool", ["nvidia-smi", "dcgmi", "nvme", "chronyc"])
@pytest.mark.parametrize("does", ["exit 1", "exit 9", "echo '[N/A]'", "echo 'Failed to initialize'", "kill -9 $$"])
def test_a_tool_that_can_not_tell_drains_nothing(machine: Emulated, tool: str, does: str) -> None:
    machine.tool_does(tool, does)
    assert [failed_at(machine, moment) for moment in ("boot", "prolog", "epilog", "idle")] == [[]] * 4


def test_a_tool_that_is_missing_drains_nothing(machine: Emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert [failed_at(machine, moment) for moment in ("boot", "prolog", "epilog", "idle")] == [[]] * 4


def hang(*_: object) -> None:
    raise commands.NoAnswerError("nvidia-smi did not answer within 15 s")


def test_a_silent_tool_counts_at_boot_and_after_some_looks(
    machine: Emulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hpc_components.health.node.gpus.run", hang)
    silent = "nvidia-smi did not answer within 15 s"
    assert f"gpu_memory: {silent}" in failed_at(machine, "boot")
    history = History()
    assert [failed_at(machine, "idle", history) for _ in range(LOOKS - 1)] == [[]] * (LOOKS - 1)
    assert f"gpu_memory: {silent}, {LOOKS} times in a row" in failed_at(machine, "idle", history)


def test_one_answer_in_between_begins_the_count_anew(machine: Emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    history = History()
    for look in range(4 * LOOKS):
        with monkeypatch.context() as patched:
            if look % LOOKS:
                patched.setattr("hpc_components.health.node.gpus.run", hang)
            assert failed_at(machine, "idle", history) == []


def answer(monkeypatch: pytest.MonkeyPatch, code: int | None) -> None:
    def ask(directories: object, seconds: float) -> dict[str, int | None]:
        return dict.fromkeys(map(str, directories), code)  # ty: ignore

    monkeypatch.setattr("hpc_components.health.node.storage.ask_file_systems", ask)


def test_a_busy_server_drains_no_node_at_boot_or_around_jobs(
    machine: Emulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, None)
    assert [failed_at(machine, moment) for moment in ("boot", "prolog", "idle")] == [[]] * 3


@pytest.mark.parametrize(("code", "counts"), [(errno.ESTALE, True), (errno.EIO, True), (errno.EACCES, False)])
def test_a_broken_mount_counts_and_a_refusal_does_not(
    machine: Emulated, monkeypatch: pytest.MonkeyPatch, code: int, counts: bool
) -> None:
    answer(monkeypatch, code)
    assert failed_at(machine, "prolog") == ([f"mounts: {HOME}: {os.strerror(code)}"] if counts else [])


HOUR = 3600.0


@pytest.mark.parametrize(
    ("downs", "step", "found"),
    [
        ([0, 1, 2, 3], HOUR / 2, False),
        ([0, 2, 4], HOUR / 2, True),
        ([10, 11, 12, 13, 14, 15], 4 * HOUR, False),
        ([250, 254, 2, 3, 5], HOUR / 2, True),
        ([254, 255, 1, 2, 3], HOUR / 2, False),
        ([200, 0, 2, 4], HOUR / 2, True),
    ],
)
def test_links_that_go_down_often_count(machine: Emulated, downs: list[int], step: float, found: bool) -> None:
    history, seen = History(), []
    for look, count in enumerate(downs):
        machine.port("mlx5_ib0", downs=count)
        seen += failed_at(machine, "idle", history, look * step)
    assert bool(seen) is found
    assert all(words.startswith("fabric_flaps: mlx5_ib0/1: its link went down ") for words in seen)


def test_a_program_that_does_not_end_is_left_behind() -> None:
    with pytest.raises(commands.NoAnswerError, match="sleep did not answer within"):
        commands.run(["sleep", "600"], 0.1)


def test_a_silent_file_system_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.statvfs
    monkeypatch.setattr(os, "statvfs", lambda path: signal.pause() if path == "/stale" else real(path))
    assert commands.ask_file_systems(["/", "/stale", "/nowhere"], 5.0) == {"/": 0, "/stale": None, "/nowhere": 2}


def test_the_verdict_of_a_look_survives_the_process(machine: Emulated) -> None:
    file = machine.root / "history.json"
    history = History()
    history.doubt("mounts", True)
    history.grown({"mlx5_ib0/1": 3}, 10.0, HOUR)
    write_history(file, history)
    assert read_history(file) == history
    file.write_text("[]")
    assert read_history(file) == History()
