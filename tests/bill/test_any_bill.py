"""What holds for the bill of any records."""

import dataclasses
import itertools
import random
from fractions import Fraction

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hpc_components.bill.amounts import UNITS_PER_USD, decimal
from hpc_components.bill.bill import Bill, make_bill
from hpc_components.bill.csv_bill import csv_bill
from hpc_components.bill.division import Capacity
from hpc_components.bill.jobs import one_line_each
from hpc_components.bill.lines import lines_of
from hpc_components.bill.lives import lives
from hpc_components.bill.rates import Rates
from hpc_components.bill.sharing import RULES
from hpc_components.bill.views import BY, organizations_in, view_of
from tests.bill import records
from tests.bill.any_month import END, Month, months

ABOUT = dataclasses.replace(records.ABOUT, until=END * 1000, minimum_ms=60_000)
ANY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
LAST = ABOUT.until + ABOUT.minimum_ms


def billed(month: Month, since: int = 0, until: int = END * 1000, rule: str = "in_proportion") -> Bill:
    return make_bill(records.ledger(*month.records), records.runs(*month.lines), ABOUT, since, until, rule)


@ANY
@given(months(), st.sampled_from(sorted(RULES)))
def test_jobs_boot_idle_and_services_cost_together_what_machines_and_services_cost(month: Month, rule: str) -> None:
    bill = billed(month, rule=rule)
    ledger = records.ledger(*month.records)
    rates = Rates(ledger.prices)
    machines = sum(
        (end - start) * price
        for life in lives(ledger, [], ABOUT.until, ABOUT.minimum_ms)
        for start, end, _, price in rates.over(life.machine, life.start, min(life.end, LAST))
    )
    assert sum(charge.units for charge in bill.charges) == machines
    assert all(charge.units >= 0 and charge.node_ms >= 0 for charge in bill.charges)
    shares = bill.shares
    assert sum(shares.of_runs) + sum(shares.of_parties.values()) + shares.undivided + sum(bill.job_costs()) == (
        bill.total
    )


@ANY
@given(months())
def test_a_job_costs_its_share_of_every_moment(month: Month) -> None:
    """Against a division by fractions, moment by moment."""
    bill = billed(month)
    for number, (cost, exact) in enumerate(zip(bill.job_costs(), _costs_by_fractions(month), strict=True)):
        assert exact - 1000 < cost <= exact, (number, cost, exact)


def _costs_by_fractions(month: Month) -> list[Fraction]:
    ledger, runs = records.ledger(*month.records), one_line_each(records.runs(*month.lines))
    rates = Rates(ledger.prices)
    costs = [Fraction(0) for _ in runs]
    for life in lives(ledger, runs, ABOUT.until, ABOUT.minimum_ms):
        here = [number for number, run in enumerate(runs) if life.machine.node in run.nodes]
        marks = {life.ready, life.jobs_until}
        for number in here:
            marks |= {runs[number].start, runs[number].end or ABOUT.until}
        for since, until, _, price in rates.over(life.machine, life.start, min(life.end, LAST)):
            times = sorted({since, until} | {mark for mark in marks if since < mark < until})
            for start, end in itertools.pairwise(times):
                if not life.ready <= start < life.jobs_until:
                    continue
                shares = {
                    number: _share(runs[number], ABOUT.nodes[life.machine.queue])
                    for number in here
                    if runs[number].start <= start < (runs[number].end or ABOUT.until)
                }
                whole = max(Fraction(1), sum(shares.values(), Fraction(0)))
                for number, share in shares.items():
                    costs[number] += share / whole * (end - start) * price
    return costs


def _share(run, node: Capacity) -> Fraction:
    count = len(run.nodes)
    return min(
        Fraction(1),
        max(
            Fraction(run.cpus, node.cpus * count),
            Fraction(int(run.memory_mib), node.memory_mib * count),
            Fraction(run.gpus, node.gpus * count) if node.gpus else Fraction(0),
        ),
    )


ENDS_AFTER_THE_RECORDS = Month(
    [
        records.machine("i-0", END - 1),
        records.ended("i-0", END + 0.001),
        records.price(0, "0.1"),
    ],
    [],
)


@ANY
@given(months(), st.integers(0, END * 1000))
@example(ENDS_AFTER_THE_RECORDS, END * 1000)
def test_bills_of_two_halves_add_up_to_the_whole(month: Month, middle: int) -> None:
    """Exactly, but for a unit, which is less than 10^-15 dollars, of each job on each machine."""
    whole, first, second = billed(month), billed(month, 0, middle), billed(month, middle)
    assert first.total + second.total == whole.total
    costs = {run.key: cost for run, cost in zip(whole.runs, whole.job_costs(), strict=True)}
    halves = dict.fromkeys(costs, 0)
    for half in (first, second):
        for run, cost in zip(half.runs, half.job_costs(), strict=True):
            halves[run.key] += cost
    assert all(abs(halves[key] - costs[key]) < 1000 for key in costs)
    for kind in ("boot", "idle"):
        parts = sum(charge.units for half in (first, second) for charge in half.charges if charge.kind == kind)
        assert abs(parts - sum(charge.units for charge in whole.charges if charge.kind == kind)) < 10_000


@ANY
@given(months(), st.randoms(use_true_random=False))
def test_order_and_repetition_of_records_change_nothing(month: Month, chance: random.Random) -> None:
    shuffled = Month([*month.records, *month.records[:3]], [*month.lines, *month.lines[-2:]])
    chance.shuffle(shuffled.records)
    chance.shuffle(shuffled.lines)
    one, other = billed(month), billed(shuffled)
    assert one == other
    assert view_of(one, "user") == view_of(other, "user")


@ANY
@given(months(), st.sampled_from(sorted(RULES)), st.sampled_from([2, 9]))
def test_every_view_adds_up_to_the_same(month: Month, rule: str, decimals: int) -> None:
    bill = billed(month, rule=rule)
    step = UNITS_PER_USD // 10**decimals
    for by in BY:
        view = view_of(bill, by, decimals=decimals)
        assert abs(view.total.total * step - bill.total) <= step / 2
        assert view.total.total == view_of(bill, "organization", decimals=decimals).total.total
        assert view.total.shared == sum(amount for _, amount in view.overhead)


@ANY
@given(months(), st.sampled_from(sorted(RULES)))
def test_an_organization_s_own_bill_has_the_amounts_of_its_row(month: Month, rule: str) -> None:
    bill = billed(month, rule=rule)
    rows = {row.name: row for row in view_of(bill, "organization").rows}
    for name in organizations_in(bill):
        for by in BY:
            total = view_of(bill, by, name).total
            assert (total.jobs, total.job_costs, total.shared) == (
                rows[name].jobs, rows[name].job_costs, rows[name].shared,
            )  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(1, 4_000_000), min_size=1, max_size=4),
    st.lists(st.integers(1, 4_000_000), min_size=1, max_size=6),
)
def test_lines_of_few_jobs_and_many_services_add_up(jobs: list[int], services: list[int]) -> None:
    """Where a few parts are rounded one way and many the other way. Prices are less than a nano-dollar a second."""
    prices = [records.price(0, decimal(price, 9), queue=f"q{number}") for number, price in enumerate(jobs)]
    machines = [
        records.machine(f"i-{number}", 0.001 * number, queue=f"q{number}", node=f"n{number}")
        for number in range(len(jobs))
    ]
    ends = [records.ended(f"i-{number}", 1 + 0.001 * number) for number in range(len(jobs))]
    always = [records.service(0, decimal(price, 9), f"s{number}") for number, price in enumerate(services)]
    lines = [
        records.line(number + 1, 0, 1, NodeList=f"n{number}", Partition=f"q{number}", AllocCPUS=4)
        for number in range(len(jobs))
    ]
    about = dataclasses.replace(ABOUT, until=1_000, minimum_ms=0)
    bill = make_bill(records.ledger(*prices, *machines, *ends, *always), records.runs(*lines), about, 0, 1_000)
    its = lines_of(bill)
    assert sum(line.cost for line in its) == sum(line.total for line in its)


@ANY
@given(months(), st.sampled_from(sorted(RULES)))
def test_lines_add_up_to_the_total_to_the_nano_dollar(month: Month, rule: str) -> None:
    bill = billed(month, rule=rule)
    lines = lines_of(bill)
    step = UNITS_PER_USD // 10**9
    assert sum(line.cost for line in lines) == sum(line.total for line in lines)
    assert abs(sum(line.cost for line in lines) * step - bill.total) <= step / 2
    assert csv_bill(lines).count("\n") == len(lines) + 1
