"""The plan of the backfill scheduler, against a slow one that looks at every second."""

from hypothesis import assume, given
from hypothesis import strategies as st

from hpc_components.forecast.plan import Plan

ENDS = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 4)), max_size=6).map(sorted)
TAKEN = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 15)), max_size=6)


def seconds_of(plan: Plan, until: int = 200) -> list[int]:
    """The free units in each second."""
    found = []
    for time in range(until):
        index = max(place for place, begin in enumerate(plan.times) if begin <= time)
        found.append(plan.free[index])
    return found


@given(st.integers(0, 6), ENDS, TAKEN)
def test_a_planned_start_is_the_earliest_and_takes_what_was_free(free, ends, taken) -> None:
    plan = Plan(0, free, ends)
    for units, seconds in taken:
        before = seconds_of(plan)
        start = plan.earliest(units, seconds, later=True)
        if start is None:
            assert before[-1] < units or len(plan.times) == 1
            continue
        assert min(before[start : start + seconds]) >= units
        earlier = [time for time in range(1, start) if min(before[time : time + seconds]) >= units]
        assert not [time for time in earlier if time in plan.times], "no earlier step would do"
        plan.take(start, seconds, units)
        after = seconds_of(plan)
        assert [a - b for a, b in zip(before, after, strict=True)] == [
            units if start <= time < start + seconds else 0 for time in range(len(before))
        ]
        assert min(after) >= 0
        assert plan.times == sorted(plan.times)


@given(st.integers(0, 6), ENDS, st.integers(1, 8))
def test_units_are_free_until_the_first_step_with_fewer(free, ends, units) -> None:
    plan = Plan(0, free, ends)
    start = plan.earliest(2, 10, later=True)
    assume(start is not None)
    plan.take(start, 10, 2)
    until = plan.free_until(units)
    short = [time for time, left in enumerate(seconds_of(plan)) if left < units]
    assert until == (short[0] if short else float("inf"))
