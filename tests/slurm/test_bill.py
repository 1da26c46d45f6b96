"""What bills read of jobs, from real daemons."""

import re

import pytest

from hpc_components.bill.jobs import Run, read_jobs
from hpc_components.elastic.ledger.export import EXPORTED_JOB_FIELDS
from tests.slurm.described import cluster, queue
from tests.slurm.head import Release

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

DESCRIBED = cluster(
    queue(machine="c7i.2xlarge", max=4), slurm={"accounting": {"accounts": {"lab": {"users": ["alice"]}}}}
)

SCRIPT = r"""
begun() { [[ $(squeue -h -t CF,R -o %A | wc -l) -ge $1 ]]; }; export -f begun
recorded() { [[ $(sacct -aXnD -S 1970-01-01 -E now -s "$1" -o jobid | wc -l) -ge $2 ]]; }; export -f recorded
job() { as alice sbatch -Q -D /tmp -p cpu -A lab "$@" --wrap true; }
job -n 1 --mem=1000 -J 'a|b =c'; job -N 3 --ntasks-per-node=1 --requeue -J wide
job -n 1 -J still; wait_for begun 3; wait_for recorded R 3
shared=$(squeue -h -t CF,R -n 'a|b =c' -o %A) wide=$(squeue -h -n wide -o %A)
scontrol requeue $wide; wait_for recorded RQ 1
scancel $shared; wait_for recorded CA 1
SLURM_TIME_FORMAT=%s sacct -a -X -D -P -n --noconvert -S 1970-01-01 -E now -o COLUMNS
"""


def said(release: Release) -> str:
    return release.run(DESCRIBED, SCRIPT.replace("COLUMNS", ",".join(EXPORTED_JOB_FIELDS))).output


def test_runs_are_read_from_the_lines_of_sacct(release: Release) -> None:
    lines = [line for line in said(release).splitlines() if re.match(r"\d+\|", line)]
    runs = read_jobs(["|".join(EXPORTED_JOB_FIELDS), *lines], "sacct")
    assert len(runs) >= 3, lines
    by_state: dict[str, list[Run]] = {}
    for run in runs:
        by_state.setdefault(run.state, []).append(run)
    (shared,) = by_state["CANCELLED"]
    assert (shared.user, shared.account, shared.queue, shared.name) == ("alice", "lab", "cpu", "a|b =c")
    assert (shared.cpus, shared.memory_mib, shared.gpus, len(shared.nodes)) == (2, 1000, 0, 1)  # a whole core
    assert shared.end is not None
    assert shared.end >= shared.start > 1.6e12
    (requeued,) = by_state["REQUEUED"]
    assert requeued.nodes == ("cpu-1", "cpu-2", "cpu-3")
    assert requeued.cpus >= 3
    (still,) = by_state["RUNNING"]
    assert (still.end, still.name) == (None, "still")
