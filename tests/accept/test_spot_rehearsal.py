"""`hpc accept --spot` on rehearsed clusters with real daemons, whose machine is taken away as the cloud does it."""

import pytest

from hpc_components.accept.result import Acceptance, Code, State
from tests.accept import scenes
from tests.rehearse.performing import lacks

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

OTHERS = [code for code in Code if code not in (Code.JOB, Code.SPOT)]


def details(acceptance: Acceptance) -> dict[str, tuple[str, str]]:
    found = scenes.outcomes(acceptance, Code.SPOT, "spot")
    return {each.what: (each.state.value, each.detail) for each in found}


@pytest.mark.parametrize(
    ("stack", "release"), [("aws-cfd", "22.05"), ("aws-cfd", "24.11"), ("azure-hbv4", "22.05"), ("gcp-h3", "24.11")]
)
def test_a_job_survives_the_loss_of_its_spot_machine(stack: str, release: str) -> None:
    if reason := lacks(release):
        pytest.skip(reason)
    acceptance, said = scenes.accepted(stack, release, queues=["spot"], spot=True, skip=OTHERS)
    assert [state for state, _ in details(acceptance).values()] == ["passed"] * 5, said
    assert acceptance.passed
    figures = {figure.name for each in acceptance.outcomes for figure in each.figures}
    assert {"order to notice", "notice to requeue", "requeue to running", "notice to a usable node"} <= figures
    assert [job.queue for job in acceptance.jobs] == ["spot", "spot"]
    assert any("hpc: spot notice: the machine ends at" in line for line in said)


def test_a_machine_that_goes_without_notice_fails_at_the_lines_of_the_notice() -> None:
    if reason := lacks("22.05"):
        pytest.skip(reason)
    acceptance = scenes.unannounced("aws-cfd", "spot", skip=OTHERS)
    found = details(acceptance)
    assert [what for what, (state, _) in found.items() if state == State.FAILED] == [
        "a spot machine that is taken away gets its notice, and its node is drained",
        "the job goes on from what it saved at the notice, and completes",
    ], found
    assert not acceptance.passed
