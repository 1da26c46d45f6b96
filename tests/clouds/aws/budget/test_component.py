import json
from dataclasses import replace
from typing import Any

import pytest
from both_modes import in_both_modes
from iam_lint import policy_findings

from clouds.aws.sample import TAGS
from hpc_components.aws.budget.component import ClusterBudget, ClusterBudgetArgs
from hpc_components.aws.ports import Identity


def args(**change: Any) -> ClusterBudgetArgs:
    usual: dict[str, Any] = {
        "cluster": "cfd",
        "monthly_usd": 5000,
        "notify": ("pi@example.org", "it@example.org"),
        "tags": TAGS,
    }
    return ClusterBudgetArgs(**{**usual, **change})


def test_everything_with_the_clusters_name_counts() -> None:
    _, recording = in_both_modes(lambda: ClusterBudget("budget", args()))
    budget = recording.one("aws:budgets/budget:Budget", "budget").inputs
    assert (budget["budgetType"], budget["timeUnit"]) == ("COST", "MONTHLY")
    assert (budget["limitAmount"], budget["limitUnit"]) == ("5000.00", "USD")
    assert budget["costFilters"] == [{"name": "TagKeyValue", "values": ["user:ClusterName$cfd"]}]
    assert budget["tags"]["ClusterName"] == "cfd"


def test_mail_at_each_level_and_when_the_forecast_passes_the_last() -> None:
    _, recording = in_both_modes(lambda: ClusterBudget("budget", args(alert_at=(100, 50, 80))))
    sent = recording.one("Budget").inputs["notifications"]
    assert [(each["notificationType"], each["threshold"]) for each in sent] == [
        ("ACTUAL", 50),
        ("ACTUAL", 80),
        ("ACTUAL", 100),
        ("FORECASTED", 100),
    ]
    assert all(each["subscriberEmailAddresses"] == ["pi@example.org", "it@example.org"] for each in sent)
    assert {(each["comparisonOperator"], each["thresholdType"]) for each in sent} == {("GREATER_THAN", "PERCENTAGE")}


HEAD = Identity(
    instance_profile="cfd-head-profile",
    role_arn="arn:aws:iam::123456789012:role/hpc/cfd-head-role",
    role_name="cfd-head-role",
    launch_denial="arn:aws:iam::123456789012:policy/hpc/cfd-head-launch-denial",
)


def test_a_budget_that_stops_lets_aws_attach_one_denial_to_one_role() -> None:
    made = args(stops=HEAD, permissions_boundary="arn:aws:iam::123456789012:policy/edge", role_path="/hpc/")
    _, recording = in_both_modes(lambda: ClusterBudget("budget", made))
    action = recording.one("aws:budgets/budgetAction:BudgetAction", "budget-stop").inputs
    assert (action["actionType"], action["approvalModel"]) == ("APPLY_IAM_POLICY", "AUTOMATIC")
    assert action["notificationType"] == "ACTUAL"
    assert action["actionThreshold"] == {"actionThresholdType": "PERCENTAGE", "actionThresholdValue": 100}
    applied = {"policyArn": HEAD.launch_denial, "roles": ["cfd-head-role"]}
    assert action["definition"] == {"iamActionDefinition": applied}
    assert [each["address"] for each in action["subscribers"]] == ["pi@example.org", "it@example.org"]
    role, policy = recording.one("aws:iam/role:Role"), recording.one("aws:iam/rolePolicy:RolePolicy")
    assert "budgets.amazonaws.com" in role.inputs["assumeRolePolicy"]
    assert (role.inputs["path"], role.inputs["permissionsBoundary"]) == ("/hpc/", made.permissions_boundary)
    (statement,) = json.loads(policy.inputs["policy"])["Statement"]
    assert statement["Action"] == ["iam:AttachRolePolicy", "iam:DetachRolePolicy"]
    assert (statement["Resource"], statement["Condition"]) == (
        [HEAD.role_arn],
        {"ArnEquals": {"iam:PolicyARN": HEAD.launch_denial}},
    )
    assert policy_findings(policy.inputs["policy"]) == []


def test_a_budget_without_a_stop_makes_nothing_else() -> None:
    _, recording = in_both_modes(lambda: ClusterBudget("budget", args()))
    assert {each.type for each in recording.resources} == {"hpc:aws:ClusterBudget", "aws:budgets/budget:Budget"}


def test_a_stop_needs_a_role_with_a_denial() -> None:
    with pytest.raises(ValueError, match=r"ClusterBudgetArgs\.stops: the identity needs role_name and launch_denial"):
        args(stops=replace(HEAD, launch_denial=None))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"monthly_usd": 0}, "monthly_usd: 0 is not a positive amount; specify"),
        ({"monthly_usd": float("nan")}, "monthly_usd: nan is not a positive amount; specify"),
        ({"alert_at": ()}, "alert_at: got 0 values; specify 1 to 9"),
        ({"alert_at": tuple(range(10, 110, 10))}, "alert_at: got 10 values; specify 1 to 9"),
        ({"alert_at": (80, 0)}, "alert_at: 0 must be a percentage above 0"),
        ({"alert_at": (80, 80)}, "alert_at: 80 must be a percentage above 0 and must appear only once"),
        ({"notify": ()}, "notify: got 0 email addresses; specify 1 to 10"),
        ({"notify": ("pi@example.org", "it")}, "notify[1]: 'it' is not an email address"),
    ],
)
def test_a_budget_that_would_never_send_a_mail_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^ClusterBudgetArgs\.") as error:
        args(**change)
    assert message in str(error.value)
