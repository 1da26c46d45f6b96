"""The program of the job that writes checkpoints."""

import subprocess
import sys
from importlib.resources import files

PROGRAM = str(files("hpc_components.rehearse.run") / "jobs/checkpoint.py")


def worked(kept, steps, *, task=0):
    """What a task says that works until so many steps are done."""
    command = [sys.executable, PROGRAM, str(kept), str(steps)]
    done = subprocess.run(command, env={"SLURM_PROCID": str(task)}, capture_output=True, text=True, check=True)
    first, last = done.stdout.splitlines()
    return first.partition(" on host ")[0], last


def test_a_task_goes_on_after_its_last_kept_step(tmp_path):
    assert worked(tmp_path / "kept", 1) == ("Task 0 begins after step 0 of 1", "Task 0 has done all 1 steps")
    assert worked(tmp_path / "kept", 2) == ("Task 0 begins after step 1 of 2", "Task 0 has done all 2 steps")


def test_tasks_keep_their_steps_apart(tmp_path):
    worked(tmp_path / "kept", 1, task=0)
    assert worked(tmp_path / "kept", 1, task=1)[0] == "Task 1 begins after step 0 of 1"
