"""The line of waiting jobs, against a plain list."""

from hypothesis import given
from hypothesis import strategies as st

from hpc_components.forecast.demand import Demand
from hpc_components.forecast.waiting import Line, Waiting
from tests.forecast.fleets import job

DEMANDS = tuple(Demand(1, units, 0, 0, units, limit) for units, limit in ((1, 600), (2, 600), (2, 60), (4, 60)))


@given(
    st.lists(
        st.tuples(st.sampled_from(["add", "leave", "return"]), st.integers(0, 3), st.integers(0, 50)), max_size=60
    )
)
def test_a_line_keeps_the_order_of_arrival_whoever_leaves_or_returns(steps) -> None:
    line, plain, gone, numbers = Line(), [], [], 0
    for what, kind, place in steps:
        if what == "add":
            numbers += 1
            plain.append(Waiting(numbers, job(), DEMANDS[kind]))
            line.add(plain[-1])
        elif what == "leave" and plain:
            gone.append(plain.pop(place % len(plain)))
            line.remove(gone[-1])
        elif what == "return" and gone:
            plain.append(gone.pop(place % len(gone)))
            plain.sort(key=lambda each: each.number)
            line.add(next(each for each in plain if each not in list(line.in_order())))
        assert list(line.in_order()) == plain
        assert len(line) == len(plain)
        sizes = {each.demand.units for each in plain if each.demand.units <= 2}
        assert line.shortest(2) == {
            units: min(each.demand.limit for each in plain if each.demand.units == units) for units in sizes
        }
        for demand in DEMANDS:
            behind = [each for each in plain if each.demand is demand and each.number > 3]
            assert line.head(demand, 3) is (behind[0] if behind else None)
        assert line.number_at(2) == (plain[2].number if len(plain) > 2 else float("inf"))
