"""Slurm's job states, all of them, once each."""

import pytest

from hpc_components.rehearse.job_states import ACTIVE, ENDED, PAUSED, STARTING, WAITING
from hpc_components.rehearse.show.wording import look

FLAGS = [
    "COMPLETING", "STAGE_OUT", "CONFIGURING", "EXPEDITING", "RESIZING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD",
    "SPECIAL_EXIT", "STOPPED", "REVOKED", "RESV_DEL_HOLD", "SIGNALING",
]  # fmt: skip
BASE_STATES = [
    "PENDING", "RUNNING", "SUSPENDED", "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED",
    "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY",
]  # fmt: skip
"""Every word of `job_state_string` in src/common/slurm_protocol_defs.c, in the order of Slurm 25.11.2."""


def test_every_state_of_slurm_is_in_one_group():
    groups = (WAITING, STARTING, ACTIVE, PAUSED, ENDED)
    assert sorted(state for group in groups for state in group) == sorted([*FLAGS, *BASE_STATES])


@pytest.mark.parametrize("state", BASE_STATES[BASE_STATES.index("SUSPENDED") + 1 :])
def test_base_states_after_suspended_are_ends(state):
    """So Slurm has it itself: slurm_protocol_defs.h, IS_JOB_FINISHED."""
    assert state in ENDED
    assert look(state) is None


@pytest.mark.parametrize(("state", "name"), [("REQUEUE_FED", "wanted"), ("STAGE_OUT", "busy"), ("STOPPED", "other")])
def test_a_job_that_may_still_run_is_shown(state, name):
    assert look(state).name == name
