"""A plan names one monthly total, also in what its rules say of the budget."""

import pytest
from planned_changes import plan_of

from hpc_components.preview.plan import Plan


def finding(plan: Plan) -> dict[str, str]:
    (found,) = [each for each in plan.reported if each["id"] == "HPC-BUD-008"]
    return dict(found)


@pytest.mark.parametrize("stack", ["aws-cfd", "azure-hbv4", "gcp-h3"])
def test_the_budget_is_judged_by_the_total_of_the_plan(stack: str) -> None:
    plan = plan_of(stack)
    reason = finding(plan)["reason"]
    assert f"{plan.cost['full']['hour']:,.2f} USD an hour, {plan.cost['full']['month']:,.0f} a month" in reason
    assert "at least" not in reason


def test_the_level_follows_the_total_of_the_plan() -> None:
    month = plan_of("aws-cfd").cost["full"]["month"]
    for days, level in ((8, "info"), (6, "warning")):
        budget = round(month * days / 30.4)
        plan = plan_of("aws-cfd", ("monthly: 20000", f"monthly: {budget}"))
        assert finding(plan)["level"] == level
