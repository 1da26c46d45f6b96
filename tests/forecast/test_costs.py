"""Money in forecasts: sums of exact amounts, and documents whose parts add up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.catalog import machine, price
from hpc_components.forecast.costs import CENT, costs_of, in_cents
from hpc_components.forecast.document import Forecast, document_of
from hpc_components.forecast.fleet import fleet_of
from hpc_components.forecast.misfortune import Assumptions
from hpc_components.forecast.run import FleetRun, run
from hpc_components.slurm import slurm_files
from hpc_components.spec.list_cost import idle_cost
from tests.forecast.fleets import job
from tests.rehearse.setups import changed

MACHINE = "c7i.48xlarge"
"""A machine with both prices."""
QUEUES = tuple(
    {"name": name, "machine": MACHINE, "placement": "none", "max": 4, "purchase": purchase}
    for name, purchase in (("q", "on_demand"), ("cheap", "spot"))
)
JOBS = [job(n * 100, 400, 1 + n % 3, account=f"a{n % 3}", queue=("q", "cheap")[n % 2]) for n in range(40)]


def forecast(jobs=JOBS, *queues, **assumed) -> Forecast:
    cluster = changed("aws-dev", queues=list(queues or QUEUES))
    whole = FleetRun(fleet_of(cluster, slurm_files(cluster)), Assumptions(boot_seconds=45, **assumed))
    run(jobs, [whole])
    return Forecast(stack="dev", cluster=cluster, run=whole)


def document(*forecasts: Forecast) -> dict:
    return document_of(forecasts, forecasts[0].run.assumed, jobs="jobs.txt", skipped={})


def usd(market: str) -> float:
    facts = machine("aws", MACHINE)
    assert facts is not None
    found = price(facts, "us-east-2", market)
    assert found is not None
    return found.usd


def test_machines_are_paid_by_the_second_at_the_price_of_their_purchase() -> None:
    made = forecast()
    costs = costs_of(made.cluster, made.run)
    for name, market in (("q", "on_demand"), ("cheap", "spot")):
        seconds = made.run.queues[name].tally.machine_seconds.total()
        assert costs.queues[name] / 1e9 == pytest.approx(usd(market) * seconds / 3600)
    assert not costs.unpriced


def test_prices_of_the_contract_take_precedence() -> None:
    cluster = changed("aws-dev", queues=list(QUEUES), billing={"rates": {MACHINE: 3.6}})
    whole = FleetRun(fleet_of(cluster, slurm_files(cluster)), Assumptions(boot_seconds=45))
    run(JOBS, [whole])
    costs = costs_of(cluster, whole)
    seconds = sum(queue_run.tally.machine_seconds.total() for queue_run in whole.queues.values())
    assert costs.machines == seconds * 10**6


def test_what_always_runs_is_counted_for_the_time_of_the_jobs() -> None:
    made = forecast()
    hours = (made.run.last - (made.run.first or 0)) / 3600
    monthly = sum(amount for what, amount in idle_cost(made.cluster).items() if not what.startswith("queue "))
    assert sum(costs_of(made.cluster, made.run).standing.values()) / 1e9 == pytest.approx(monthly * hours / 730)


def test_reserved_machines_cost_the_same_whether_they_run_or_not() -> None:
    reserved = {**QUEUES[0], "purchase": {"reservation": "cr-0123456789abcdef0"}}
    made = forecast([job(seconds=10), job(submit=100_000, seconds=10)], reserved)
    hours = (made.run.last - (made.run.first or 0)) / 3600
    assert costs_of(made.cluster, made.run).queues["q"] / 1e9 == pytest.approx(4 * usd("on_demand") * hours)


def test_an_unknown_price_is_named_only_if_machines_of_that_type_ran() -> None:
    queue = {**QUEUES[1], "fallback": ["m7i.48xlarge"]}
    usual, rare = forecast([job()], queue), forecast([job()], queue, capacity_errors=0.9, seed=3)
    assert not costs_of(usual.cluster, usual.run).unpriced
    assert costs_of(rare.cluster, rare.run).unpriced == {"m7i.48xlarge"}


def test_lost_work_is_paid_by_its_account() -> None:
    lucky, unlucky = forecast(), forecast(spot_losses=0.9, seed=1)
    tally = unlucky.run.queues["cheap"].tally
    assert tally.lost_unit_seconds
    accounts = [costs_of(made.cluster, made.run).accounts.total() for made in (lucky, unlucky)]
    assert accounts[1] > accounts[0]


@pytest.mark.parametrize("errors", [0.0, 0.4])
def test_the_parts_of_a_document_add_up_to_its_totals(errors: float) -> None:
    (stack,) = document(forecast(spot_losses=errors, capacity_errors=errors))["stacks"]
    cents = round(stack["cost"] * 100)
    assert sum(round(part["cost"] * 100) for part in stack["parts"]) == cents
    assert sum(round(row["cost"] * 100) for row in stack["accounts"]) == cents
    assert {row["account"] for row in stack["accounts"] if "account" in row} == {"a0", "a1", "a2"}
    for queue in stack["queues"]:
        assert queue["waits"] is None or sum(queue["waits"]["classes"]) == queue["jobs"]
    assert stack["finished"] == len(JOBS)
    hours = sum(queue["node_hours"] for queue in stack["queues"])
    shown = sum(sum(q["nodes"]["values"]) * q["nodes"]["step"] / 3600 for q in stack["queues"])
    assert shown == pytest.approx(hours, rel=0.02), "the plot has the same node-hours"


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 10**12), max_size=8))
def test_rounded_parts_add_up_to_the_rounded_sum(amounts: dict[str, int]) -> None:
    cents = in_cents(amounts)
    assert sum(cents.values()) == (sum(amounts.values()) + CENT // 2) // CENT
    assert all(abs(cents[name] * CENT - amount) < CENT for name, amount in amounts.items())
