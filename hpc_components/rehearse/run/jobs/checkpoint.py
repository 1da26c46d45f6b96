"""Works in steps, and saves the number of finished steps in a file, so that a requeued job resumes after the last
one.

    checkpoint.py FILE STEPS

Each of the job's tasks works independently and has its own file, whose name is FILE followed by the task's number.

When a node is about to be taken away, Slurm requeues the job and sends SIGTERM, whereupon the step in progress is
finished and saved. If a node dies without notice, the step in progress is lost.
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
    """Stop after the step in progress."""
    global ending
    ending = True


def keep(done: int) -> None:
    """Replace the file as a whole, so that a crash leaves either the old file or the new one."""
    new = kept.with_name(f"{kept.name}.new")
    new.write_text(str(done))
    os.replace(new, kept)


signal.signal(signal.SIGTERM, end)
print(f"Task {task} begins after step {begin} of {steps} on host {os.uname().nodename}", flush=True)
for step in range(begin + 1, steps + 1):
    time.sleep(0.5)  # the work
    keep(step)
    if ending:
        sys.exit()  # without a message: srun, which would print it, has ended already
print(f"Task {task} has done all {steps} steps", flush=True)
