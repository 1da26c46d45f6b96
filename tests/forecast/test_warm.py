"""Nodes that are kept warm at certain hours: the wish, and what the model does with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.forecast.machines import END_SECONDS, RESUME_SECONDS
from hpc_components.forecast.misfortune import Assumptions
from hpc_components.forecast.run import FleetRun, run
from hpc_components.forecast.warm import nodes_at, warm_of
from tests.forecast.fleets import BOOT_SECONDS, NODE, fleet, job

MONDAY = 4 * 86400
"""1970-01-05."""
HOUR, DAY = 3600, 86400
FLEET = fleet({**NODE, "max": 4})
IDLE = 600


def ran(jobs, *warm: str, fleet=FLEET, **assumed):
    whole = FleetRun(
        fleet, Assumptions(**{"boot_seconds": BOOT_SECONDS, **assumed}), warm=[warm_of(each) for each in warm]
    )
    run(jobs, [whole])
    return whole.queues["q"].tally


def test_days_and_hours_are_read() -> None:
    daily, weekdays, one = map(warm_of, ("q=2@08:00-18:00", "q=12@mon-Fri,00:00-24:00", "a=b=1@Sun,10:30-11:00"[2:]))
    assert [daily.holds(MONDAY + day * DAY + 8 * HOUR) for day in range(7)] == [True] * 7
    assert [weekdays.holds(MONDAY + day * DAY) for day in range(7)] == [True] * 5 + [False] * 2
    assert [one.holds(MONDAY + 6 * DAY + 10 * HOUR + 60 * minute) for minute in (29, 30, 59, 60)] == [
        False, True, True, False,
    ]  # fmt: skip
    assert (one.queue, one.nodes, weekdays.nodes) == ("b", 1, 12)


@pytest.mark.parametrize(
    "text",
    ["q=2", "q=0@08:00-18:00", "q=2@18:00-08:00", "q=2@08:00-24:01", "q=2@08:60-18:00", "=2@08:00-09:00",
     "q=2@Fri-Mon,08:00-18:00", "q=2@Xyz,08:00-18:00", "q=2@Mon-Xyz,08:00-18:00", "q=2@8:00-18:00"],
)  # fmt: skip
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"write e\.g\. cpu=2@08:00-18:00"):
        warm_of(text)


TIMES = st.integers(0, 4 * 10**9)


@given(TIMES, st.integers(0, 23), st.integers(1, 24), st.integers(0, 6))
def test_a_wish_changes_only_at_its_next_change(now: int, begin: int, hours: int, day: int) -> None:
    name = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[day]
    wish = warm_of(f"q=2@{name},{begin:02}:00-{min(begin + hours, 24):02}:00")
    change = wish.next_change(now)
    assert now < change <= now + 7 * DAY
    assert wish.holds(change - 1) == wish.holds(now)
    assert wish.holds(change) != wish.holds(now)
    assert nodes_at([wish], now) == (2 if wish.holds(now) else 0)


def test_a_warm_node_saves_the_first_job_of_the_morning_its_wait() -> None:
    at = MONDAY + DAY + 9 * HOUR
    jobs = [job(MONDAY), job(at)]
    assert list(ran(jobs).waits) == [RESUME_SECONDS + BOOT_SECONDS] * 2
    assert list(ran(jobs, "q=1@08:00-18:00").waits) == [RESUME_SECONDS + BOOT_SECONDS, 0]
    assert list(ran(jobs, "q=1@10:00-18:00").waits) == [RESUME_SECONDS + BOOT_SECONDS] * 2


def test_warm_nodes_cost_their_hours() -> None:
    jobs = [job(MONDAY, seconds=1), job(MONDAY + 2 * DAY, seconds=1)]
    plain, warm = ran(jobs), ran(jobs, "q=2@08:00-18:00")
    hours = 10 * HOUR - RESUME_SECONDS + 1 + END_SECONDS
    assert warm.machine_seconds.total() - plain.machine_seconds.total() == 2 * 2 * hours
    assert warm.boots == 2 * 2 + 2


def test_a_node_that_worked_until_just_before_the_end_stays_for_its_idle_time() -> None:
    evening = MONDAY + 18 * HOUR
    last = job(evening - 100, seconds=10)
    for later, wait in ((IDLE - 110, 0), (IDLE + 100, RESUME_SECONDS + BOOT_SECONDS)):
        jobs = [last, job(evening + later), job(MONDAY + 2 * DAY)]
        assert list(ran(jobs, "q=1@08:00-18:00").waits)[:2] == [0, wait]


def test_a_node_without_work_for_long_goes_at_the_end() -> None:
    jobs = [job(MONDAY + 9 * HOUR, seconds=10), job(MONDAY + 18 * HOUR + 10)]
    assert ran(jobs, "q=1@08:00-18:00").waits[1] > BOOT_SECONDS


def test_warm_nodes_stop_in_the_evening_while_a_job_of_another_queue_still_runs() -> None:
    two = fleet({**NODE, "max": 4}, {**NODE, "max": 4})
    morning = MONDAY + 9 * HOUR
    jobs = [job(morning, seconds=1), job(morning, seconds=2 * DAY, queue="q2", limit=3 * DAY)]
    seconds = ran(jobs, "q=1@08:00-18:00", fleet=two).machine_seconds.total()
    hours = 9 * HOUR + 10 * HOUR + HOUR  # of Monday, Tuesday and Wednesday
    assert hours < seconds < hours + 2 * IDLE


def test_the_larger_of_several_wishes_and_of_min_counts() -> None:
    kept = fleet({**NODE, "max": 4, "min": 1})
    at = MONDAY + 9 * HOUR
    jobs = [job(MONDAY), *[job(at) for _ in range(3)]]
    warm = "q=3@08:00-10:00", "q=2@09:00-12:00", "q=1@00:00-24:00"
    assert list(ran(jobs, *warm, fleet=kept).waits) == [0] * 4


@given(st.lists(st.integers(0, 40), max_size=20).map(sorted), st.sampled_from([0.0, 0.5]), st.integers(0, 3))
def test_every_job_ends_with_warm_nodes(hours: list[int], errors: float, seed: int) -> None:
    jobs = [job(MONDAY + hour * HOUR, nodes=1 + hour % 4) for hour in hours]
    tally = ran(jobs, "q=2@Mon,08:00-18:00", "q=3@Tue-Fri,06:00-07:00", capacity_errors=errors, seed=seed)
    assert tally.finished == len(jobs)
