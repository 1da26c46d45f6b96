"""Works in steps and saves the number of finished steps in a file, so that a requeued job resumes after the last one.

    checkpoint.py FILE STEPS

Each task of the job works independently and has its own file, named FILE followed by the task number.

When a node is about to be taken away, Slurm requeues the job and sends SIGTERM. The task then finishes and saves the
current step. If a node dies without notice, the current step is lost.
"""

import os
import signal
import sys
import time
from pathlib import Path

task, steps = os.environ["SLURM_PROCID"], int(sys.argv[2])
kept = Path(f"{sys.argv[1]}.{task}")
begin = int(kept.read_text()) if kept.exists() else 0
ending = False


def end(*_: object) -> None:
    """Stop after the current step."""
    global ending
    ending = True


def keep(done: int) -> None:
    """Replace the file atomically, so that a crash leaves either the old file or the new one."""
    new = kept.with_name(f"{kept.name}.new")
    new.write_text(str(done))
    os.replace(new, kept)


signal.signal(signal.SIGTERM, end)
print(f"Task {task} begins after step {begin} of {steps} on host {os.uname().nodename}", flush=True)
for step in range(begin + 1, steps + 1):
    time.sleep(0.5)  # stands in for real work
    keep(step)
    if ending:
        sys.exit()  # exit silently, because srun has already ended and could not print a message
print(f"Task {task} has done all {steps} steps", flush=True)
