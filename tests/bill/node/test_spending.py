"""What runs have cost, from lines of a real `sacct`."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hpc_components.bill.node.spending import (
    Run,
    Spending,
    added,
    parse,
    spending,
    spent,
    still_running,
    without_lost,
    yet_counted,
)

SACCT = """\
1|ada|lab|1764336940|1764336946|60|billing=9600000,cpu=96,mem=190080M,node=1
1|ada|lab|1764336946|Unknown|60|billing=9600000,cpu=96,mem=190080M,node=1
2|cy|sub|1764336940|1764337000|60|billing=100,cpu=1,mem=1980M,node=1
3|cy|sub|Unknown|Unknown|60|
4|root|root|1764336940|1764336941|60|cpu=1,mem=1980M,node=1
"""
"""The first line of a job that was requeued; the second is its other run. Jobs that wait have no start."""

PARENTS = {"root": "", "lab": "root", "sub": "lab"}


def test_each_run_counts_for_its_user_and_all_accounts_above() -> None:
    found = spent(spending(parse(SACCT), 0, 1764337000), PARENTS)
    assert found["lab", "ada"] == 60 * 9_600_000 // 60
    assert found["sub", "cy"] == found["sub", ""] == 100
    assert found["lab", ""] == found["root", ""] == 60 * 9_600_000 // 60 + 100


def test_runs_that_slurmctld_has_lost_end() -> None:
    runs, now = parse(SACCT), 1764336976
    assert (
        spent(spending(without_lost(runs, ["1"], 1764336956), 0, now), PARENTS)["lab", "ada"] == 36 * 9_600_000 // 60
    )
    assert spent(spending(without_lost(runs, [], 1764336956), 0, now), PARENTS)["lab", "ada"] == 16 * 9_600_000 // 60
    assert spent(spending(without_lost(runs, [], 0), 0, now), PARENTS)["lab", "ada"] == 6 * 9_600_000 // 60


def test_a_lost_run_costs_no_more_than_its_time_limit_however_often_slurmctld_starts() -> None:
    hour, later = 3600 * 9_600_000 // 60, 1764336946 + 90 * 86400
    runs = parse(SACCT)
    lost = without_lost(runs, [], later)
    assert spent(spending(lost, 0, later), PARENTS)["lab", "ada"] == 6 * 9_600_000 // 60 + hour
    assert spent(spending(lost, later - 86400, later), PARENTS)["lab", "ada"] == 0


def test_only_the_part_in_the_period_counts() -> None:
    assert spent(spending(parse(SACCT), 1764336944, 1764336946), PARENTS)["lab", "ada"] == 2 * 9_600_000 // 60


RUNS = st.builds(
    Run,
    job=st.just("1"),
    user=st.sampled_from("abc"),
    account=st.sampled_from(["lab", "sub"]),
    start=st.integers(0, 1000).map(float),
    end=st.integers(1000, 2000).map(float),
    billing=st.integers(0, 10**9).map(lambda sixtieth: sixtieth * 60),
    limit=st.none(),
)


@given(st.lists(RUNS, max_size=20), st.integers(0, 2000))
def test_two_periods_add_up(runs: list[Run], middle: int) -> None:
    assert spending(runs, 0, 2000) == added([spending(runs, 0, middle), spending(runs, middle, 2000)])


def usage(runs: list[Run], counted: int, now: int) -> Spending:
    """What slurmctld knows now: it has last counted running jobs a while ago."""
    running = [run for run in runs if run.end is None]
    return added([spending([run for run in runs if run not in running], 0, now), spending(running, 0, counted)])


OPEN_RUNS = st.builds(replace, RUNS, end=st.one_of(st.none(), st.integers(1000, 2000).map(float)))


@given(st.lists(OPEN_RUNS, max_size=10), st.integers(1940, 2000), st.integers(1900, 2060), st.integers(0, 60))
def test_a_limit_leaves_the_budget_of_its_month_whenever_it_is_set(
    runs: list[Run], counted: int, month: int, later: int
) -> None:
    """It is set at 2000, and the month may have begun since slurmctld counted, or begin soon."""
    now = max(2000, month) + later
    for key, known in usage(runs, counted, 2000).items():
        limit = known - yet_counted(runs, month, counted).get(key, 0)
        left_then = limit - usage(runs, now, now).get(key, 0)
        assert left_then == -spending(runs, month, now).get(key, 0)


def test_runs_that_ended_after_the_count_was_read_still_ran() -> None:
    (first, *_) = parse(SACCT)
    assert [run.end for run in still_running([first], 1764336945)] == [None]
    assert still_running([first], 1764336946) == [first]
