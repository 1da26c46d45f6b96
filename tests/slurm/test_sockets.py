"""Jobs that ask for sockets, on real daemons with the nodes of the reference cluster with InfiniBand."""

import pytest

from tests.slurm.described import stack
from tests.slurm.head import Release

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

ASKED = (
    "-p compute-queue -N1 --sockets-per-node=2",
    "-p compute-queue -N1 -n176 --ntasks-per-socket=88",
    "-p compute-queue -N1 -n96 --ntasks-per-socket=48",
    "-p spot -N1 -n120 --ntasks-per-socket=60",
)


def test_jobs_may_ask_for_both_sockets(release: Release) -> None:
    tried = "\n".join(f"as alice sbatch --test-only -D /tmp {asked} --wrap true 2>&1" for asked in ASKED)
    done = release.run(stack("azure-hbv4"), f"cd /tmp\n{tried}")
    assert [line for line in done.output.splitlines() if " to start at " not in line] == []
    assert done.output.count(" to start at ") == len(ASKED)


def test_more_tasks_than_a_socket_has_cores_are_refused(release: Release) -> None:
    done = release.run(
        stack("azure-hbv4"),
        "as alice sbatch --test-only -D /tmp -p spot -N1 --sockets-per-node=3 --wrap true 2>&1; true",
    )
    assert "Requested node configuration is not available" in done.output
