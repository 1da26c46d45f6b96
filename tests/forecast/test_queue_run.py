"""The model of one queue: what it does with single jobs, and what holds for any jobs."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpc_components.forecast.machines import END_SECONDS, RESUME_SECONDS
from hpc_components.forecast.misfortune import Assumptions
from hpc_components.forecast.run import FleetRun
from hpc_components.forecast.run import run as run_jobs
from tests.forecast.fleets import BIG_NODE, BOOT_SECONDS, NODE, fleet, job, ran

FOUR = fleet({**NODE, "max": 4})
SHARED = fleet({**BIG_NODE, "max": 2})
SPOT = fleet({**NODE, "max": 4, "purchase": "spot"})
THREE, SIX = (fleet({**NODE, "max": nodes}) for nodes in (3, 6))
IDLE = 600
TO_START = RESUME_SECONDS + BOOT_SECONDS


def test_a_job_waits_for_its_machine_and_the_machine_stays_for_the_idle_time() -> None:
    run = ran(FOUR, [job(seconds=100)])
    assert list(run.tally.waits) == [TO_START]
    assert run.tally.machine_seconds.total() == BOOT_SECONDS + 100 + IDLE + 1 + END_SECONDS


def test_a_second_job_gets_an_idle_node() -> None:
    run = ran(FOUR, [job(seconds=10), job(submit=100, seconds=10)])
    assert list(run.tally.waits) == [TO_START, 0]
    assert run.tally.boots == 1


def test_jobs_that_follow_others_closely_are_looked_at_three_seconds_later() -> None:
    run = ran(FOUR, [job(), job(submit=1), job(submit=2), job(submit=9)])
    assert list(run.tally.waits) == [TO_START, 2 + TO_START, 1 + TO_START, TO_START]


def test_jobs_of_another_queue_delay_the_look_too() -> None:
    whole = FleetRun(fleet({**NODE, "max": 4}, {**NODE, "max": 4}), Assumptions(boot_seconds=BOOT_SECONDS))
    run_jobs([job(), job(submit=1, queue="q2")], [whole])
    assert list(whole.queues["q2"].tally.waits) == [2 + TO_START]


def test_the_end_of_a_job_lets_slurm_look_at_new_jobs_at_once() -> None:
    end = TO_START + 10
    run = ran(FOUR, [job(seconds=10), job(submit=end - 2, seconds=1), job(submit=end - 1, seconds=1)])
    assert sorted(run.tally.waits) == [1, TO_START, TO_START]


def test_the_end_of_a_job_in_another_queue_lets_slurm_look_too() -> None:
    end = TO_START + 10
    whole = FleetRun(fleet({**NODE, "max": 4}, {**NODE, "max": 4}), Assumptions(boot_seconds=BOOT_SECONDS))
    run_jobs([job(seconds=10), job(submit=end - 2), job(submit=end - 1, queue="q2")], [whole])
    assert list(whole.queues["q2"].tally.waits) == [1 + TO_START]


def test_the_time_between_two_looks_is_a_setting_of_slurm() -> None:
    slow = fleet({**NODE, "max": 4}, slurm={"settings": {"SchedulerParameters": "batch_sched_delay=20"}})
    assert list(ran(slow, [job(), job(submit=1)]).tally.waits) == [TO_START, 19 + TO_START]


def test_a_node_that_stops_can_t_be_used_until_slurm_considers_it_off() -> None:
    one = fleet({**NODE, "max": 1})
    gone = TO_START + 10 + IDLE + 1
    run = ran(one, [job(seconds=10), job(submit=gone + 1, seconds=10)])
    assert run.tally.waits[1] == 60 + TO_START


def test_a_small_job_is_backfilled_only_if_it_delays_no_planned_start() -> None:
    long = job(seconds=500, nodes=2, limit=1200)
    head = job(submit=1, seconds=10, nodes=4)
    slow, short = job(submit=2, seconds=20, limit=1800), job(submit=3, seconds=20, limit=600)
    waits = list(ran(FOUR, [long, head, slow, short]).tally.waits)
    end = TO_START + 500
    assert waits[0] == TO_START
    assert waits[1] < 30 + TO_START, "the short job, at the first backfill"
    assert waits[2] == end - 1 + TO_START, (
        "the job of four nodes, when the long one has ended and one more has booted"
    )
    assert waits[3] >= waits[2] + 10 - 1, "the job whose limit does not fit before it"


@pytest.mark.parametrize("setting", ["bf_interval=0", "bf_resolution=0", "bf_window=0", "bf_max_job_test=0"])
def test_settings_of_backfill_that_slurm_refuses_have_its_default(setting: str) -> None:
    odd = fleet({**NODE, "max": 4}, slurm={"settings": {"SchedulerParameters": setting}})
    jobs = [job(seconds=500, nodes=2, limit=1200), job(1, 10, 4), job(2, 20), job(3, 20)]
    assert min(vars(odd.scheduling).values()) > 0
    assert ran(odd, jobs).tally.waits[1] < 30 + TO_START, "a short job is backfilled"


def test_jobs_share_a_node_by_cpus() -> None:
    run = ran(SHARED, [job(cpus=4), job(cpus=4), job(cpus=2)])
    assert run.tally.boots == 2
    assert list(run.tally.waits) == [TO_START] * 3


def test_jobs_share_a_node_by_memory() -> None:
    run = ran(SHARED, [job(cpus=2, memory_mib=9000), job(cpus=2, memory_mib=9000), job(cpus=2, memory_mib=9000)])
    assert run.tally.boots == 2
    assert run.tally.waits[2] == TO_START + 60


def test_nodes_that_are_kept_run_from_the_beginning() -> None:
    kept = fleet({**NODE, "max": 4, "min": 2})
    run = ran(kept, [job(submit=1000), job(submit=1000), job(submit=5000)])
    assert list(run.tally.waits) == [0, 0, 0]
    assert run.tally.boots == 0
    assert run.tally.machine_seconds.total() == 2 * (run.finish() - 1000)


def test_without_capacity_the_next_machine_type_is_tried_and_then_the_cooldown_waited_for() -> None:
    two = fleet({**NODE, "max": 4, "fallback": ["c6i.large"]})
    run = ran(two, [job()], capacity_errors=0.9, seed=3)
    assert run.tally.refusals >= 2
    assert run.tally.waits[0] >= 600
    assert run.tally.finished == 1


def test_a_lost_spot_machine_restarts_its_jobs() -> None:
    run = ran(SPOT, [job(seconds=7200, nodes=2)], spot_losses=0.6, seed=2)
    assert run.tally.losses
    assert run.tally.requeued
    assert run.tally.finished == 1
    assert run.tally.lost_unit_seconds > 0
    assert run.tally.unit_seconds.total() == 7200 * 4 + run.tally.lost_unit_seconds


def test_a_lost_spot_machine_fails_its_jobs_in_a_queue_that_does_not_requeue() -> None:
    spot = fleet({**NODE, "max": 4, "purchase": "spot", "requeue": False})
    run = ran(spot, [job(seconds=7200, nodes=2)], spot_losses=0.9, seed=2)
    assert (run.tally.failed, run.tally.finished) == (1, 0)


def test_kept_spot_machines_are_replaced_only_until_the_jobs_are_done() -> None:
    kept = fleet({**NODE, "max": 4, "min": 2, "purchase": "spot"})
    run = ran(kept, [job(), job(submit=40_000)], spot_losses=0.9)
    assert run.tally.finished == 2
    assert run.tally.boots > 4
    assert run._free <= 8


def test_on_demand_machines_are_never_taken_back() -> None:
    assert ran(FOUR, [job(seconds=7200)], spot_losses=0.9).tally.losses == 0


def test_jobs_that_can_t_run_are_counted_by_reason() -> None:
    limited = fleet({**NODE, "max": 4, "slurm": {"MaxTime": "1:00:00"}})
    run = ran(limited, [job(nodes=5), job(gpus=1), job(limit=3601), job(memory_mib=10_000), job()])
    assert sorted(run.tally.refused) == [
        "it needs 10 GiB of memory on a node that has 3 GiB",
        "it needs GPUs, but the nodes have none",
        "it needs more than 4 nodes",
        "its time limit is longer than the queue's (60 min)",
    ]
    assert (run.tally.submitted, run.tally.finished) == (5, 1)


JOBS = st.lists(
    st.builds(
        lambda submit, seconds, nodes, factor: job(submit, seconds, nodes, limit=60 * (seconds // 60 + factor)),
        st.integers(0, 3000),
        st.integers(1, 900),
        st.integers(1, 4),
        st.integers(1, 10),
    ),
    max_size=40,
).map(lambda jobs: sorted(jobs, key=lambda each: each.submit))


@settings(max_examples=60)
@given(JOBS, st.sampled_from([0.0, 0.3]), st.integers(0, 5))
def test_every_job_ends_and_machines_run_longer_than_jobs(jobs, errors, seed) -> None:
    run = ran(FOUR, jobs, capacity_errors=errors, seed=seed)
    tally = run.tally
    assert tally.finished == len(jobs) == len(tally.waits)
    assert all(wait >= 0 for wait in tally.waits)
    assert tally.unit_seconds.total() == sum(each.seconds * each.nodes * 2 for each in jobs)
    assert tally.machine_seconds.total() * 2 >= tally.unit_seconds.total()
    assert sum(hours for series in tally.hours.values() for hours in series.by_hour().values()) == (
        tally.machine_seconds.total()
    )
    assert run._free == 8, "all nodes are free in the end"


@settings(max_examples=30)
@given(JOBS, st.integers(0, 5))
def test_the_same_seed_gives_the_same_forecast(jobs, seed) -> None:
    one, other = (ran(SPOT, jobs, spot_losses=0.5, capacity_errors=0.2, seed=seed).tally for _ in range(2))
    assert one == other
    assert one.finished + one.failed == len(jobs)


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_more_nodes_never_lengthen_the_waits_of_jobs_of_one_node(seed) -> None:
    """Only for jobs of one node that boot alike: with wider jobs, more nodes can delay some of them, because an
    earlier start of one job moves the planned starts of others (Graham's scheduling anomalies).
    """
    random = Random(seed)
    jobs = sorted((job(random.randint(0, 400), 300, 1) for _ in range(30)), key=lambda each: each.submit)
    few, many = (ran(size, jobs).tally.waits for size in (THREE, SIX))
    assert sum(many) <= sum(few)
