"""`hpc rehearse` as a process, with real daemons: how it is left."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from hpc_components.rehearse.run.requirements import missing
from tests.cli.running import HPC, ROOT
from tests.processes import Start

LACKS = "; ".join(map(str, missing()))

pytestmark = [
    pytest.mark.slurm,
    pytest.mark.skipif(bool(LACKS), reason=LACKS),
]


def below(pid: int) -> set[int]:
    """All processes below `pid`."""
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return set()
    return set().union(*({child, *below(child)} for child in children))


def names(pids: set[int]) -> list[str]:
    """Of those that are there, and no zombies."""
    found = []
    for pid in pids:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            continue
        if stat.rpartition(")")[2].split()[0] != "Z":
            found.append(stat)
    return found


def test_ctrl_c_ends_it_all_and_is_exit_code_130(start: Start) -> None:
    process = start(
        # who runs the tests in the background has the signal ignored, and so has what they start
        ["env", "--default-signal=INT", HPC, "rehearse", "aws-cfd"], cwd=ROOT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stderr
    for line in process.stderr:
        if "Submitted batch job" in line:
            break
    started = below(process.pid)
    assert any("(slurmctld)" in name for name in names(started))
    os.killpg(process.pid, signal.SIGINT)
    out, rest = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert rest.endswith("interrupted; nothing is left behind\n")
    assert "Traceback" not in rest
    assert names(started) == []


def test_a_shell_on_the_login_node_is_left_by_exit(start: Start, tmp_path: Path) -> None:
    """`script` gives it a terminal. aws-cfd has no login nodes of its own: its head node is where users log in."""
    report = tmp_path / "report.json"
    command = f"{HPC} rehearse aws-cfd --shell --format json --out {report}"
    process = start(
        ["script", "--quiet", "--return", "--command", command, "/dev/null"], cwd=ROOT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    assert process.stdin
    assert process.stdout
    seen = ""
    while "alice@head" not in seen:
        seen += os.read(process.stdout.fileno(), 4096).decode(errors="replace") or pytest.fail(seen)
    process.stdin.write("echo I am $(id -un) on $(hostname)\nsinfo --noheader --format=%P\nexit\n")
    process.stdin.flush()
    deadline = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    process.stdin.close()
    seen += process.stdout.read()
    process.stdout.close()
    assert process.wait() == 0, seen
    assert "\nI am alice on head\n" in seen
    assert "\ncompute-queue*\n" in seen
    assert report.exists()
