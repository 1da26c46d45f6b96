from typing import Any

import pytest
from both_modes import checked_preview

from clouds.gcp.sample import PROJECT, TAGS
from hpc_components.gcp.budget.component import ClusterBudget, ClusterBudgetArgs
from hpc_components.preview.record import Recording, record


def args(**change: Any) -> ClusterBudgetArgs:
    usual: dict[str, Any] = {
        "billing_account": "012345-6789AB-CDEF01",
        "project": PROJECT,
        "project_number": 123456789012,
        "monthly": 5000,
        "notify": ("pi@example.org", "it@example.org"),
        "tags": TAGS,
    }
    return ClusterBudgetArgs(**{**usual, **change})


def recorded(**change: Any) -> Recording:
    return record(lambda: ClusterBudget("cfd-budget", args(**change)))


def test_everything_with_the_clusters_label_counts():
    recording = checked_preview(lambda: ClusterBudget("cfd-budget", args()))
    budget = recording.one("gcp:billing/budget:Budget").inputs
    assert (budget["billingAccount"], budget["displayName"]) == ("012345-6789AB-CDEF01", "cfd-budget")
    assert budget["amount"] == {"specifiedAmount": {"units": "5000"}}
    assert budget["budgetFilter"] == {"projects": ["projects/123456789012"], "labels": {"clustername": "cfd"}}


@pytest.mark.parametrize(
    ("monthly", "amount"),
    [(1000.5, {"units": "1000", "nanos": 500000000}), (0.25, {"units": "0", "nanos": 250000000})],
)
def test_parts_of_a_unit_become_nanos(monthly, amount):
    budget = recorded(monthly=monthly).one("gcp:billing/budget:Budget").inputs
    assert budget["amount"] == {"specifiedAmount": amount}


def test_mail_at_each_level_and_when_the_forecast_passes_the_last():
    recording = recorded(alert_at=(100, 50, 80))
    budget = recording.one("gcp:billing/budget:Budget")
    assert [(each["spendBasis"], each["thresholdPercent"]) for each in budget.inputs["thresholdRules"]] == [
        ("CURRENT_SPEND", 0.5),
        ("CURRENT_SPEND", 0.8),
        ("CURRENT_SPEND", 1.0),
        ("FORECASTED_SPEND", 1.0),
    ]
    rule = budget.inputs["allUpdatesRule"]
    assert rule["disableDefaultIamRecipients"] is True, "mail goes to those named, not to whoever pays"
    assert len(rule["monitoringNotificationChannels"]) == 2
    channels = {each.inputs["labels"]["email_address"]: each for each in recording.all("NotificationChannel")}
    assert {*channels} == {"pi@example.org", "it@example.org"}
    for each in channels.values():
        assert (each.inputs["type"], each.inputs["project"]) == ("email", PROJECT)
        assert each.inputs["userLabels"]["clustername"] == "cfd"
        assert each.urn in budget.property_dependencies["allUpdatesRule"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"billing_account": "12345"}, "billing_account: '12345' is not a billing account id; write 012345-"),
        ({"monthly": 0}, "monthly: 0 is not a valid budget"),
        ({"monthly": float("nan")}, "monthly: nan is not a valid budget"),
        ({"alert_at": ()}, "alert_at: 0 values; specify 1 to 99"),
        (
            {"alert_at": (80, 0)},
            "alert_at: 0 is a duplicate or is not above 0; specify different percentages above 0",
        ),
        (
            {"alert_at": (80, 80)},
            "alert_at: 80 is a duplicate or is not above 0; specify different percentages above 0",
        ),
        ({"notify": ()}, "notify: 0 email addresses; specify 1 to 5"),
        ({"notify": tuple(f"{n}@example.org" for n in range(6))}, "notify: 6 email addresses; specify 1 to 5"),
        ({"notify": ("pi@example.org", "it")}, "notify[1]: 'it' is not a valid email address"),
    ],
)
def test_a_budget_that_would_never_send_a_mail_is_refused(change, message):
    with pytest.raises(ValueError, match=r"^ClusterBudgetArgs\.") as error:
        args(**change)
    assert message in str(error.value)


def test_the_cost_is_published_to_a_topic_where_one_is_named():
    rule = recorded().one("gcp:billing/budget:Budget").inputs["allUpdatesRule"]
    assert {"pubsubTopic", "schemaVersion"}.isdisjoint(rule)
    topic = f"projects/{PROJECT}/topics/budgets"
    rule = recorded(pubsub_topic=topic).one("gcp:billing/budget:Budget").inputs["allUpdatesRule"]
    assert (rule["pubsubTopic"], rule["schemaVersion"]) == (topic, "1.0")
