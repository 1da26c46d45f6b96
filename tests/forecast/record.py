"""Record what real Slurm does with the traces: in the repository, `python -m tests.forecast.record RELEASE`."""

import json
import sys
from pathlib import Path

from tests.forecast.replay import lab_cluster, lab_setup, replay
from tests.forecast.traces import JOBS, QUEUES, traces
from tests.rehearse.performing import ROOTS

RECORDED = Path(__file__).parent / "recorded"
BOOT_SECONDS = 12


def record(release: str, jobs: int = JOBS) -> None:
    """Write recorded/<release>.sacct and recorded/<release>.machines.json."""
    setup = lab_setup(lab_cluster(QUEUES), ROOTS[release])
    found = replay(setup, traces(jobs), BOOT_SECONDS)
    (RECORDED / f"{release}.sacct").write_text(found.sacct)
    (RECORDED / f"{release}.machines.json").write_text(json.dumps(found.machines) + "\n")


if __name__ == "__main__":
    record(sys.argv[1], *map(int, sys.argv[2:]))
