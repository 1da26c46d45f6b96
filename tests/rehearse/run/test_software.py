"""Software of a description: EasyBuild builds it by a job, and another job loads its module."""

from pathlib import Path

import pytest

from hpc_components.rehearse.events import Code
from tests.rehearse.performing import lacks, rehearsed
from tests.rehearse.setups import changed

pytestmark = [
    pytest.mark.slurm,
    pytest.mark.skipif(bool(lacks("22.05")), reason=lacks("22.05")),
]

EASYCONFIGS = Path(__file__).parents[1] / "easyconfigs"

JOB = """#!/bin/bash
module load hello
module list
srun --ntasks=1 hello-1.0
"""


def test_a_job_loads_a_module_that_easybuild_has_built(tmp_path):
    job = tmp_path / "use.sh"
    job.write_text(JOB)
    own = {file.name: file.read_text() for file in EASYCONFIGS.iterdir()}
    wanted = ["hello-1.0.eb", "GROMACS-2024.4-foss-2023b.eb"]
    cluster = changed("aws-dev", software={"easybuild": {"install": wanted, "files": own}})
    rehearsal = rehearsed(cluster, job=job)
    assert [(check.what, check.detail) for check in rehearsal.checks if not check.passed] == []
    (built,) = [check for check in rehearsal.checks if check.code is Code.SOFTWARE_BUILT]
    assert built.detail.startswith("built    hello-1.0.eb; all built by job 1;")
    assert "hello from a module of the cluster" in rehearsal.output
    (left_out,) = [change for change in rehearsal.changes if change.file == "common/software/build.json"]
    assert "GROMACS" in left_out.before
    assert "GROMACS" not in left_out.after
