"""What runs have cost, from lines of a real `sacct`."""

import datetime

from hypothesis import given
from hypothesis import strategies as st

from hpc_components.bill.node.settle import GUARD_SECONDS, is_near_reset, limit_of
from hpc_components.bill.node.spending import Run, parse, spent, without_lost

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
    found = spent(parse(SACCT), PARENTS, 0, 1764336956)
    assert found["lab", "ada"] == 16 * 9_600_000 // 60
    assert found["sub", "cy"] == found["sub", ""] == 100
    assert found["lab", ""] == found["root", ""] == 16 * 9_600_000 // 60 + 100


def test_runs_that_slurmctld_has_lost_end() -> None:
    runs, now = parse(SACCT), 1764336976
    assert spent(without_lost(runs, ["1"], 1764336956), PARENTS, 0, now)["lab", "ada"] == 36 * 9_600_000 // 60
    assert spent(without_lost(runs, [], 1764336956), PARENTS, 0, now)["lab", "ada"] == 16 * 9_600_000 // 60
    assert spent(without_lost(runs, [], 0), PARENTS, 0, now)["lab", "ada"] == 6 * 9_600_000 // 60


def test_a_lost_run_costs_no_more_than_its_time_limit_however_often_slurmctld_starts() -> None:
    hour, later = 3600 * 9_600_000 // 60, 1764336946 + 90 * 86400
    runs = parse(SACCT)
    lost = without_lost(runs, [], later)
    assert spent(lost, PARENTS, 0, later)["lab", "ada"] == 6 * 9_600_000 // 60 + hour
    assert spent(lost, PARENTS, later - 86400, later)["lab", "ada"] == 0


def test_only_the_part_in_the_period_counts() -> None:
    assert spent(parse(SACCT), PARENTS, 1764336944, 1764336946)["lab", "ada"] == 2 * 9_600_000 // 60


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
    whole = spent(runs, PARENTS, 0, 2000)
    later = spent(runs, PARENTS, middle, 2000)
    earlier = spent(
        [
            Run(
                job=run.job,
                user=run.user,
                account=run.account,
                start=run.start,
                end=max(run.start, min(run.end or 0, middle)),
                billing=run.billing,
                limit=None,
            )
            for run in runs
        ],
        PARENTS,
        0,
        2000,
    )
    assert whole == {key: earlier[key] + later[key] for key in whole}


@given(st.integers(0, 10**12), st.integers(-(10**12), 10**12))
def test_a_limit_leaves_what_is_left(used: int, left: int) -> None:
    assert max(0, limit_of(used, left, will_be_reset=False) - used) == max(0, left)
    assert limit_of(used, left, will_be_reset=True) == max(0, left)


def test_totals_are_guarded_around_the_turn_of_a_month() -> None:
    turn = datetime.datetime(2026, 12, 1).timestamp()
    day, month = 86400, 30 * 86400
    assert not is_near_reset(turn - day, turn - month)
    assert is_near_reset(turn - GUARD_SECONDS / 2, turn - month)
    assert is_near_reset(turn + 30, turn - month)  # slurmctld resets at its next count
    assert not is_near_reset(turn + 30, turn)
