"""Launches that the cloud answers with a failure of its own (HTTP 500): nothing of them is under way any more."""

import pytest

from elastic.cycle.stubs import LIST_LAG, LOST, M1, M2, START, Site, kinds, names
from hpc_components.elastic.drivers.contract import CapacityError, FailedError, QuotaError, RefusedError
from hpc_components.elastic.report.events import EventKind

FAILED = FailedError("InternalError: An internal error has occurred")


def seconds_to_launch(site: Site, pool) -> float:
    """From the first cycle until `pool` is asked, with ordinary pauses between cycles."""
    site.run()
    first = site.now
    while pool not in [launch.pool for launch in site.cloud.launches]:
        assert site.now < START + 1000
        site.run()
    return site.now - first


@pytest.mark.parametrize(
    "refusals", [[CapacityError("none")], [RefusedError("no")], [QuotaError("VcpuLimitExceeded")] * 2]
)
@pytest.mark.parametrize("failures", [1, 2])
def test_refused_when_repeated_the_job_is_on_the_next_pool_within_15_seconds(site, refusals, failures):
    site.cloud.fails["launch"] = [FAILED] * failures + refusals
    site.slurm.want(1, 1, 2)
    assert seconds_to_launch(site, M2) <= 10 + 5 * failures
    assert site.cloud.alive() == dict.fromkeys(names(1, 2), "m2")


def test_one_that_was_carried_out_all_the_same_is_answered_with_its_machines_when_repeated(site):
    real = site.cloud.launch

    def failing(launch):
        real(launch)
        raise FAILED

    site.cloud.launch = failing
    site.slurm.want(1, 1, 2)
    site.run()
    site.cloud.launch = real
    site.cloud.hidden = set(site.cloud.machines)
    assert kinds(site.run()) == [EventKind.REPEAT, EventKind.LAUNCH]
    assert len(site.cloud.machines) == 2


@pytest.mark.parametrize("restarted", [False, True])
def test_if_the_cloud_knows_machines_of_it_by_its_token_no_other_is_launched(site, restarted):
    site.cloud.fails["launch"] = [FAILED, CapacityError("none")]
    site.slurm.want(1, 1)
    site.run()
    late = site.cloud.add("q-1", M1, site.cloud.launches[0].token)
    site.cloud.hidden = {late.id}
    site.run()
    if restarted:
        site.start()
    for _ in range(10):
        site.run()
        assert site.cloud.launches == []
    assert [entry.machines for entry in site.journal.entries] == [{"q-1": late.id}]


@pytest.mark.parametrize("answers", [[LOST, FAILED], [FAILED, LOST], [FAILED, LOST, FAILED]])
def test_one_lost_answer_among_them_and_the_first_may_still_be_under_way(site, answers):
    site.cloud.fails["launch"] = [*answers, CapacityError("none")]
    site.slurm.want(1, 1)
    assert seconds_to_launch(site, M2) >= 2 * LIST_LAG


def test_killed_while_it_is_repeated_it_counts_as_one_without_an_answer(site):
    class KillError(BaseException):
        pass

    site.cloud.fails["launch"] = [FAILED]
    site.slurm.want(1, 1)
    site.run()
    real = site.cloud.launch

    def killed(launch):
        raise KillError

    site.cloud.launch = killed
    with pytest.raises(KillError):
        site.run()
    site.cloud.launch = real
    site.start()
    site.cloud.fails["launch"] = [CapacityError("none")]
    site.run()
    site.run(after=60)
    assert site.cloud.launches == []


def test_without_an_answer_about_its_token_nothing_is_launched(site):
    site.cloud.fails["launch"] = [FAILED, CapacityError("none")]
    site.cloud.fails["find"] = [LOST] * 5
    site.slurm.want(1, 1)
    for _ in range(6):
        site.run()
        assert M2 not in [launch.pool for launch in site.cloud.launches]
    site.run()
    site.run()
    assert site.cloud.alive() == {"q-1": "m2"}


def test_a_pool_that_only_fails_is_given_up_after_a_minute_and_the_next_one_tried_soon(site):
    site.cloud.fails["launch"] = [FAILED] * 13
    site.slurm.want(1, 1)
    assert seconds_to_launch(site, M2) <= 75


def test_it_is_told_apart_from_an_answer_that_is_lost(site):
    site.cloud.fails["launch"] = [FAILED, LOST]
    site.slurm.want(1, 1)
    (event,) = site.run().events
    assert event.words == "q-1: the cloud failed: InternalError: An internal error has occurred"
    _, event = site.run().events
    assert event.words == "q-1: no response from the cloud: timed out"
