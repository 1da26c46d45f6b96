"""What a month costs in which queues run for so many hours of it."""

import pytest
from stack_recordings import planned

from hpc_components.catalog import HOURS_PER_MONTH
from hpc_components.preview.plan import Plan
from hpc_components.preview.usage import UnknownQueueError, usage_of

STACKS = ["aws-cfd", "azure-nd", "gcp-h3"]


def plan_of(stack: str) -> Plan:
    plan = planned(stack).plan
    assert plan is not None
    return plan


def usage(stack: str, **hours: float) -> dict:
    return usage_of(plan_of(stack), {name.replace("_", "-"): value for name, value in hours.items()})


@pytest.mark.parametrize("stack", STACKS)
def test_a_whole_month_is_the_full_cluster_and_no_hours_are_the_idle_one(stack):
    cost = plan_of(stack).cost
    for hours, wanted in ((float(HOURS_PER_MONTH), "full"), (0.0, "idle")):
        document = usage_of(plan_of(stack), {None: hours})
        # prices of lines are by the hour with four decimals
        assert document["month"] == pytest.approx(cost[wanted]["month"], abs=0.05 * len(cost["lines"]))
    assert (document["full_month"], document["idle_month"]) == (cost["full"]["month"], cost["idle"]["month"])


def test_a_queue_costs_its_nodes_and_their_disks_for_its_hours():
    alone, standing = usage("aws-cfd", compute_queue=100), usage("aws-cfd", compute_queue=0)
    compute, spot = alone["queues"]
    grown = [line["full_hour"] for line in plan_of("aws-cfd").cost["lines"] if "compute-queue" in line["what"]]
    assert len(grown) == 2, "nodes, disks"
    assert compute["month"] == pytest.approx(100 * sum(grown))
    assert (spot["hours"], spot["month"]) == (0, 0), "it stays idle"
    assert alone["month"] - standing["month"] == pytest.approx(compute["month"])
    assert alone["standing_month"] == standing["standing_month"]


def test_a_queue_with_hours_of_its_own_is_not_one_of_the_others():
    document = usage_of(plan_of("aws-cfd"), {None: 10.0, "spot": 20.0})
    assert {queue["queue"]: queue["hours"] for queue in document["queues"]} == {"compute-queue": 10, "spot": 20}


def test_a_gateway_that_is_paid_by_its_machines_is_paid_for_the_longest_hours():
    assert usage("gcp-h3", spot=10)["standing_month"] < usage("gcp-h3", spot=20)["standing_month"]


def test_without_hours_there_is_no_month_of_use():
    document = usage_of(plan_of("aws-cfd"), {})
    assert (document["month"], document["standing_month"]) == (None, None)
    assert [(queue["hours"], queue["month"]) for queue in document["queues"]] == [(None, None)] * 2


def test_an_unknown_queue_is_an_error():
    with pytest.raises(UnknownQueueError, match="there is no queue 'gpu'; the queues are compute-queue, spot"):
        usage("aws-cfd", gpu=1)
