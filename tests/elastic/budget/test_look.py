"""Months in UTC, amounts, the stop, and what a lost ledger means: pure figures."""

from calendar import timegm
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.elastic import months
from hpc_components.elastic.budget.look import judge
from hpc_components.elastic.budget.record import BudgetRecord, Month
from hpc_components.elastic.config import BudgetConfig
from hpc_components.elastic.money import NANO_PER_USD, as_text, told

USD = NANO_PER_USD
NOVEMBER_16 = float(timegm((2026, 11, 16, 0, 0, 0)))
CONFIG = BudgetConfig(monthly=100 * USD, stop_launches=True, alert_at=(80, 100))
MOMENTS = st.integers(0, timegm((2100, 1, 1, 0, 0, 0))).map(float)


@given(MOMENTS)
def test_months_follow_each_other_without_a_gap(now):
    begin, end = months.begins(now), months.ends(now)
    assert begin <= now < end
    assert months.begins(end) == end
    assert 28 <= (end - begin) / 86400 <= 31
    day = datetime.fromtimestamp(now, UTC)
    assert months.month_of(now) == f"{day:%Y-%m}"
    assert months.month_of(end) == f"{day.replace(day=28) + timedelta(days=4):%Y-%m}"


@pytest.mark.parametrize(
    ("nano", "program", "people"),
    [
        (60_000 * USD, "60000", "60,000 USD"),
        (400_000_000, "0.4", "0.40 USD"),
        (1, "0.000000001", "0.00 USD"),
        (0, "0", "0 USD"),
    ],
)
def test_amounts_are_exact_for_programs_and_short_for_people(nano, program, people):
    assert as_text(nano) == program
    assert told(nano) == people


@given(st.lists(st.tuples(st.integers(0, 200 * USD), st.integers(0, 100 * USD)), max_size=8))
def test_launches_go_on_only_below_the_limit_and_never_after_a_stop(figures):
    month, stopped = Month(), False
    for step, (recorded, rate) in enumerate(figures):
        look, month = judge(CONFIG, month, recorded, rate, NOVEMBER_16 + step)
        assert look.stopped or look.spent < look.limit
        assert look.stopped or not stopped
        assert look.spent >= recorded
        stopped = look.stopped


@pytest.mark.parametrize(
    ("before", "after", "spent"),
    [
        (50, 50, 50),  # nothing happened
        (50, 46, 46),  # a correction: a machine had ended earlier than was thought
        (50, 44, 50),  # lost: what was known counts
        (50, 0, 50),
        (0, 20, 20),
    ],
)
def test_a_figure_that_falls_far_was_lost(before, after, spent):
    _, month = judge(CONFIG, Month(), before * USD, 0, NOVEMBER_16)
    look, month = judge(CONFIG, month, after * USD, 0, NOVEMBER_16 + 1)
    assert look.spent == spent * USD
    later, _ = judge(CONFIG, month, (after + 10) * USD, 0, NOVEMBER_16 + 2)
    assert later.spent == (spent + 10) * USD


def test_the_forecast_is_the_month_at_its_mean_rate():
    look, _ = judge(CONFIG, Month(), 30 * USD, 0, NOVEMBER_16)
    assert look.forecast == 60 * USD  # half of November is over
    early, _ = judge(CONFIG, Month(), 30 * USD, 0, NOVEMBER_16 - 13 * 86400)
    assert early.forecast is None


def test_the_time_at_which_the_budget_is_spent_counts_what_runs_now():
    look, _ = judge(CONFIG, Month(), 30 * USD, 7 * USD, NOVEMBER_16)
    assert look.spent_at == NOVEMBER_16 + 36_000
    for rate in (0, USD // 10):  # never, or not in this month
        assert judge(CONFIG, Month(), 30 * USD, rate, NOVEMBER_16)[0].spent_at is None
    assert judge(CONFIG, Month(), 100 * USD, USD, NOVEMBER_16)[0].spent_at is None, "it is spent already"


def test_a_record_outlives_a_restart_and_forgets_old_months(tmp_path):
    path = tmp_path / "budget.json"
    record = BudgetRecord(path)
    for number in range(1, 6):
        record.put(f"2026-0{number}", Month(limit=1, recorded=number, lost=2, stopped_at=3, told=("80", "stopped")))
    again = BudgetRecord(path)
    assert again.month("2026-05") == Month(limit=1, recorded=5, lost=2, stopped_at=3, told=("80", "stopped"))
    assert again.month("2026-03").recorded == 3
    assert again.month("2026-02") == Month()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"months": {"2026-11": {"told": 7}}}', '{"months": {"2026-11": {"x": 1, "told": []}}}'],
)
def test_a_malformed_record_counts_as_empty(tmp_path, text):
    path = tmp_path / "budget.json"
    path.write_text(text)
    assert BudgetRecord(path).month("2026-11") == Month()
