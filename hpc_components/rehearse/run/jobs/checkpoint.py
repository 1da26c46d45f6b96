"""Work in steps that is not lost with its node: what is done is kept in a file, and where it was, it goes on.

    checkpoint.py FILE STEPS

Slurm puts the job back into the queue when its node is about to go, and sends SIGTERM: the step at hand is finished
and kept. A node that goes without a word costs the step at hand.
"""

import os
import signal
import sys
import time
from pathlib import Path

kept, steps = Path(sys.argv[1]), int(sys.argv[2])
begin = int(kept.read_text()) if kept.exists() else 0
ending = False


def end(*_: object) -> None:
    """Take note that the node goes."""
    global ending
    ending = True


def keep(done: int) -> None:
    """Replace the file as a whole: one that is half written is of no use."""
    new = kept.with_suffix(".new")
    new.write_text(str(done))
    os.replace(new, kept)


signal.signal(signal.SIGTERM, end)
print(f"Begins after step {begin} of {steps} on host {os.uname().nodename}", flush=True)
for step in range(begin + 1, steps + 1):
    time.sleep(0.5)  # the work
    keep(step)
    if ending:
        sys.exit()  # srun, which would show a last word, has ended before
print(f"All {steps} steps are done", flush=True)
