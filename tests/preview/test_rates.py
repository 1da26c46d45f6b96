"""Plans at the rates of a contract with the cloud."""

from typing import Any

import pytest
from planned_changes import changed, plan_of

from hpc_components.preview.comparison import comparison_of
from hpc_components.preview.plan import Plan
from hpc_components.preview.rates import rates_in
from hpc_components.preview.render.comparison import comparison_text
from hpc_components.preview.render.text import render_text
from hpc_components.preview.render.usage import usage_table
from hpc_components.preview.usage import usage_of
from hpc_components.report.text import plain_text
from hpc_components.review.cost_and_quota_tables import cost_note

RATES = ("    name: cfd\n", "    name: cfd\n    billing: {rates: {hpc6a.48xlarge: 2.5}}\n")


def rated() -> Plan:
    return plan_of("aws-cfd", RATES)


def queue(plan: Plan, name: str) -> dict[str, Any]:
    (found,) = (each for each in plan.cost["queues"] if each["queue"] == name)
    return found


def test_a_machine_costs_its_rate_and_others_the_list_price() -> None:
    listed, plan = plan_of("aws-cfd"), rated()
    assert (queue(plan, "compute-queue")["node_hour"], queue(plan, "compute-queue")["basis"]) == (2.5, "contract")
    assert queue(plan, "spot") == queue(listed, "spot")
    (line,) = (each for each in plan.cost["lines"] if each["what"] == "queue compute-queue: hpc6a.48xlarge")
    assert (line["unit_price"], line["full_hour"], line["basis"]) == (2.5, 16 * 2.5, "contract")
    assert not line["unsure"]
    less = listed.cost["full"]["hour"] - plan.cost["full"]["hour"]
    assert less == pytest.approx(16 * (2.88 - 2.5))
    assert not any("basis" in each for each in (*listed.cost["lines"], *listed.cost["queues"]))


def test_every_table_says_that_rates_were_used() -> None:
    plan = rated()
    usage, comparison = usage_of(plan, {}), comparison_of([plan, plan_of("azure-nd")])
    assert "price of your contract (billing.rates)" in render_text(plan, 100)
    assert "list prices and rates of your contract in USD" in plain_text(usage_table(usage), 100)
    assert "and rates of your contract (aws-cfd)" in " ".join(comparison_text(comparison, 100).split())
    assert "rates of your contract" not in render_text(plan_of("aws-cfd"), 100)


def test_a_review_says_that_rates_were_used() -> None:
    cost = changed("aws-cfd", RATES).cost
    assert cost is not None
    assert cost_note(cost).startswith("List prices and rates of your contract (oldest: ")
    (found,) = cost.queues
    assert (found.node_hour_before, found.node_hour_after) == (2.88, 2.5)


@pytest.mark.parametrize(
    "billing", [None, [], {}, {"rates": None}, {"rates": [1]}, {"rates": {"a": "1", "b": True, "c": -1, "d": None}}]
)
def test_rates_that_are_not_prices_are_left_out(billing: object) -> None:
    assert rates_in({"billing": billing}) == {}
