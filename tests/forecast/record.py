"""Record what real Slurm does with the traces: in the repository,
`PYTHONPATH=tests .venv/bin/python -m tests.forecast.record RELEASE`."""

import json
import sys
from pathlib import Path

from tests.forecast.replay import Replayed, lab_cluster, lab_setup, replay
from tests.forecast.traces import JOBS, QUEUES, traces
from tests.rehearse.performing import ROOTS

RECORDED = Path(__file__).parent / "recorded"
BOOT_SECONDS = 15
MOST_LATE_SECONDS = 2
"""How much later than `BOOT_SECONDS` a machine may boot. If one is later, this machine was busy."""


def record(release: str, jobs: int = JOBS, directory: Path = RECORDED) -> None:
    """Write <release>.sacct and <release>.machines.json. Takes about 15 minutes with all jobs."""
    setup = lab_setup(lab_cluster(QUEUES), ROOTS[release])
    found = replay(setup, traces(jobs), BOOT_SECONDS)
    write_recording(found, release, directory)
    if max(found.boots) > BOOT_SECONDS + MOST_LATE_SECONDS:
        sys.exit(
            f"a machine took {max(found.boots):.1f} s to boot: record again while this machine does nothing else"
        )


def write_recording(found: Replayed, release: str, directory: Path) -> None:
    machines = ",\n".join(map(json.dumps, found.machines))
    (directory / f"{release}.sacct").write_text(found.sacct)
    (directory / f"{release}.machines.json").write_text(f"[\n{machines}\n]\n")


def read_recording(release: str, directory: Path = RECORDED) -> Replayed:
    machines = json.loads((directory / f"{release}.machines.json").read_text())
    return Replayed((directory / f"{release}.sacct").read_text(), tuple(map(tuple, machines)))


if __name__ == "__main__":
    record(sys.argv[1], *map(int, sys.argv[2:3]), *map(Path, sys.argv[3:]))
