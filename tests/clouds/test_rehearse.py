"""A toy cluster, rehearsed: the generated files, real Slurm, the daemon, and a spot machine with the toy's notice."""

import pytest

from clouds.descriptions import PLAY, cluster_of
from hpc_components.rehearse.events import Fault
from hpc_components.rehearse.run.runner import plan_rehearsal, run_rehearsal
from tests.rehearse.performing import ROOTS, lacks

RELEASE = "24.11"
LACKS = lacks(RELEASE)

pytestmark = [
    pytest.mark.slurm,
    pytest.mark.slow,
    pytest.mark.usefixtures("toy"),
    pytest.mark.skipif(bool(LACKS), reason=LACKS),
]


def test_a_spot_node_is_told_its_end_and_its_job_begins_again() -> None:
    small = {"queues": [{"name": "mpi", "machine": "tide-64", "max": 4, "purchase": "spot"}], "login_nodes": None}
    plan = plan_rehearsal(cluster_of(PLAY | small), root=ROOTS[RELEASE], fault=Fault.SPOT)
    result = run_rehearsal(plan, lambda event: None)
    failed = [check for check in result.checks if not check.passed]
    assert failed == [], failed
    assert result.output
