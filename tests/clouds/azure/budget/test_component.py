from datetime import UTC, datetime
from typing import Any

import pulumi
import pytest

from clouds.azure.modes import checked_preview
from clouds.azure.sample import SUBSCRIPTION
from hpc_components.azure.budget.component import ClusterBudget, ClusterBudgetArgs
from hpc_components.preview.record import UNKNOWN, record


def args(**change: Any) -> ClusterBudgetArgs:
    usual: dict[str, Any] = {
        "groups": ("cfd", "cfd-nodes"),
        "subscription": SUBSCRIPTION,
        "monthly": 5000,
        "notify": ("pi@example.org", "it@example.org"),
    }
    return ClusterBudgetArgs(**{**usual, **change})


def test_everything_in_the_clusters_groups_counts():
    budget = checked_preview(lambda: ClusterBudget("budget", args())).one("Budget")
    assert (budget.inputs["scope"], budget.inputs["amount"], budget.inputs["timeGrain"]) == (
        SUBSCRIPTION,
        5000,
        "Monthly",
    )
    assert budget.inputs["filter"] == {
        "dimensions": {"name": "ResourceGroupName", "operator": "In", "values": ["cfd", "cfd-nodes"]}
    }


def test_it_begins_in_the_month_in_which_it_is_made_and_never_in_another():
    """Azure refuses an earlier month for a new budget, and any change of the month of an existing one."""
    budget = record(lambda: ClusterBudget("budget", args())).one("Budget")
    start = datetime.fromisoformat(budget.inputs["timePeriod"]["startDate"])
    assert start == datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    assert budget.ignore_changes == ("timePeriod",)


def test_a_plan_reads_the_same_in_every_month():
    """The subscription is unknown until the first resource of the cluster exists."""

    def program() -> None:
        import pulumi_azure_native as azure_native

        group = azure_native.resources.ResourceGroup("cfd")
        ClusterBudget("budget", args(subscription=pulumi.Output.concat(group.id)))

    assert record(program).one("Budget").inputs["timePeriod"]["startDate"] == UNKNOWN


def test_mail_at_each_level_and_when_the_forecast_passes_the_last():
    budget = record(lambda: ClusterBudget("budget", args(alert_at=(100, 50, 80)))).one("Budget")
    sent = budget.inputs["notifications"]
    assert {name: (each["thresholdType"], each["threshold"]) for name, each in sent.items()} == {
        "Actual-50": ("Actual", 50),
        "Actual-80": ("Actual", 80),
        "Actual-100": ("Actual", 100),
        "Forecasted-100": ("Forecasted", 100),
    }
    for each in sent.values():
        assert each["contactEmails"] == ["pi@example.org", "it@example.org"]
        assert (each["enabled"], each["operator"]) == (True, "GreaterThan")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": ()}, "groups is empty"),
        ({"monthly": 0}, "monthly: 0 is not a valid budget"),
        ({"monthly": float("nan")}, "monthly: nan is not a valid budget"),
        ({"alert_at": ()}, "alert_at has 0 values; specify 1 to 4"),
        ({"alert_at": (10, 20, 30, 40, 50)}, "alert_at has 5 values; specify 1 to 4"),
        ({"alert_at": (80, 0)}, "alert_at: 0 is a duplicate or not between 1 and 1000"),
        ({"alert_at": (80, 1001)}, "alert_at: 1001 is a duplicate or not between 1 and 1000"),
        ({"alert_at": (80, 80)}, "alert_at: 80 is a duplicate or not between 1 and 1000"),
        ({"notify": ()}, "notify has 0 mail addresses; specify 1 to 50"),
        ({"notify": ("pi@example.org", "it")}, "notify[1]: 'it' is not a mail address"),
    ],
)
def test_a_budget_that_would_never_send_a_mail_is_refused(change, message):
    with pytest.raises(ValueError, match=r"^ClusterBudgetArgs\.") as error:
        args(**change)
    assert message in str(error.value)


def test_action_groups_are_run_at_every_alert():
    group = f"{SUBSCRIPTION}/resourceGroups/it/providers/Microsoft.Insights/actionGroups/stop"
    budget = record(lambda: ClusterBudget("budget", args(action_groups=(group,)))).one("Budget")
    alerts = budget.inputs["notifications"].values()
    assert len(alerts) == 3
    assert all(each["contactGroups"] == [group] for each in alerts)
    plain = record(lambda: ClusterBudget("budget", args())).one("Budget")
    assert not any("contactGroups" in each for each in plain.inputs["notifications"].values())
