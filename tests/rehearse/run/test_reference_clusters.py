"""The reference clusters on real daemons: their own job on nodes that come for it and go again."""

import os
import re

import pytest

from hpc_components.rehearse.events import Code, NodeState
from tests.rehearse.performing import ROOTS, rehearsed

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

CLUSTERS = ("cfd", "university", "ultracluster", "dev")
BOTH_RELEASES = [f"{cluster} on {release}" for release in ("22.05", "24.11") for cluster in CLUSTERS]
CONVERTED = ["converted on 22.05"]
OTHER_CLOUDS = ["hbv4 on 24.11", "azure university on 22.05", "h3 on 22.05", "gcp ultracluster on 24.11"]


@pytest.mark.parametrize("performed", BOTH_RELEASES + OTHER_CLOUDS + CONVERTED, indirect=True)
def test_all_that_must_hold_holds(performed):
    assert [check for check in performed.checks if not check.passed] == []
    assert {Code.NO_ERRORS, Code.ALL_NODES_GONE} <= {check.code for check in performed.checks}


@pytest.mark.parametrize("performed", BOTH_RELEASES + OTHER_CLOUDS + CONVERTED, indirect=True)
def test_nodes_live_from_the_call_for_them_to_their_end(performed):
    for node in performed.nodes:
        states = [span.state for span in node.spans]
        assert states[0] in (NodeState.WANTED, NodeState.BOOTING)
        assert NodeState.BUSY in states
        assert states[-1] in (NodeState.LEAVING, NodeState.IDLE)
        assert states.index(NodeState.BOOTING) < states.index(NodeState.BUSY)


@pytest.mark.parametrize(
    ("performed", "cores"),
    [("cfd on 22.05", 96), ("hbv4 on 24.11", 176), ("h3 on 22.05", 88)],
    indirect=["performed"],
)
def test_the_published_job_is_scaled_on_the_command_line_alone(performed, cores):
    assert re.fullmatch(r"sbatch --ntasks-per-node=\d+ submit_job\.sh", performed.command)
    assert performed.scale.full_ranks == 4 * cores
    assert performed.scale.cpus_per_node == cores
    (job,) = performed.jobs
    assert (job.queue, len(job.nodes), job.exit_code) == ("compute-queue", 4, "0:0")
    assert len(set(re.findall(r"^Hello from rank (\d+) of", performed.output, re.M))) == performed.scale.ranks


@pytest.mark.skipif("HPC_ALL_RANKS" not in os.environ, reason="HPC_ALL_RANKS=1 runs 384 ranks, best alone")
@pytest.mark.parametrize("release", ROOTS)
def test_the_published_job_runs_unmodified(release):
    performed = rehearsed("aws-cfd", release, full=True)
    assert [check for check in performed.checks if not check.passed] == []
    assert performed.command == "sbatch submit_job.sh"
    greetings = re.findall(r"^Hello from rank (\d+) of 384 on host (\S+)$", performed.output, re.M)
    assert {int(rank) for rank, _ in greetings} == set(range(384))
    assert {host for _, host in greetings} == {f"compute-queue-{node}" for node in (1, 2, 3, 4)}


@pytest.mark.parametrize(
    "performed", ["university on 22.05", "university on 24.11", "azure university on 22.05"], indirect=True
)
def test_gpus_are_accounted_for(performed):
    rows = [line for line in performed.accounting.splitlines() if "COMPLETED" in line]
    assert rows
    assert "gres/gpu" in rows[0]


@pytest.mark.parametrize(
    "performed", ["ultracluster on 22.05", "ultracluster on 24.11", "gcp ultracluster on 24.11"], indirect=True
)
def test_three_nodes_are_24_gpus(performed):
    used = set(re.findall(r"on host (\S+), GPU (\d+)", performed.output))
    assert used == {(f"gpu-{node}", str(gpu)) for node in (1, 2, 3) for gpu in range(8)}
