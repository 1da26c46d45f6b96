"""A job of the user's own."""

import pytest

from hpc_components.rehearse.events import Code
from tests.rehearse.performing import lacks, rehearsed

pytestmark = [
    pytest.mark.slurm,
    pytest.mark.skipif(bool(lacks("22.05")), reason=lacks("22.05")),
]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("--nodes=17", "Node count specification invalid"),
        ("--mem=2T", "Memory specification can not be satisfied"),
        ("--gres=gpu:1", "Invalid generic resource"),
        ("--partition=gpu", "invalid partition specified: gpu"),
    ],
)
def test_one_that_can_never_run_is_refused_with_the_reason(tmp_path, asked, words):
    job = tmp_path / "mine.sh"
    job.write_text(f"#!/bin/bash\n#SBATCH {asked}\nhostname\n")
    rehearsal = rehearsed("aws-cfd", job=job)
    (refused,) = [check for check in rehearsal.checks if not check.passed]
    assert refused.code is Code.JOB_ACCEPTED
    assert words in refused.detail
    assert rehearsal.jobs == rehearsal.nodes == ()
    assert not rehearsal.passed
