"""What jobs have cost, from lines of a real `sacct`."""

import datetime
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from hpc_components.bill.node.jobs import job_costs, table
from hpc_components.bill.node.spending import Run, parse

SACCT = """\
1|ada|lab|1764336940|1764336946|60|billing=9600000,cpu=96,mem=190080M,node=1
1|ada|lab|1764336946|Unknown|60|billing=9600000,cpu=96,mem=190080M,node=1
2|cy|sub|1764336940|1764337000|60|billing=100000,cpu=1,mem=1980M,node=1
3|cy|sub|Unknown|Unknown|60|
"""
SINCE, NOW = 1764336940, 1764336956


def test_all_runs_of_a_job_count_and_those_that_still_run_count_until_now() -> None:
    ada, cy = job_costs(parse(SACCT), SINCE, NOW)
    assert (ada.job, ada.runs, ada.seconds, ada.micros) == ("1", 2, 16, 16 * 9_600_000 // 60)
    assert (cy.job, cy.runs, cy.seconds, cy.micros) == ("2", 1, 60, 100_000)


def test_only_the_part_in_the_period_counts() -> None:
    costs = {one.job: one.seconds for one in job_costs(parse(SACCT), SINCE + 4, NOW)}
    assert costs == {"1": 12, "2": 56}


RUNS = st.builds(
    Run,
    job=st.sampled_from("123456"),
    user=st.just("ada"),
    account=st.sampled_from(["lab", "sub"]),
    start=st.integers(0, 1000).map(float),
    end=st.integers(1000, 2000).map(float),
    billing=st.integers(0, 10**9),
    limit=st.none(),
)


@given(st.lists(RUNS, min_size=1, max_size=20))
def test_shown_amounts_add_up(runs: list[Run]) -> None:
    costs = job_costs(runs, 0, 2000)
    lines = table(costs, datetime.datetime(2026, 11, 1)).splitlines()
    shown = [Decimal(line.split()[-1].replace(",", "")) for line in lines[1 : 1 + len(costs)]]
    total = Decimal(lines[2 + len(costs)].split()[-1].replace(",", ""))
    assert sum(shown) == total
    assert abs(total - Decimal(sum(one.micros for one in costs)) / 10**6) <= Decimal("0.005")
