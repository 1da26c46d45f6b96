import re
from dataclasses import dataclass, field

import pulumi
import pulumi_gcp as gcp
from pulumi import Input, Output

from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.catalog.limits import budget_limits
from hpc_components.gcp.catalog.resource_ids import wrong_id
from hpc_components.gcp.tags import Tags

LIMITS = budget_limits()

BILLION = 10**9

_A = "ClusterBudgetArgs"


@dataclass(frozen=True, kw_only=True)
@checked_args
class ClusterBudgetArgs:
    """Arguments of `ClusterBudget`."""

    billing_account: str
    """Id of the billing account that pays for the project, e.g. `012345-6789AB-CDEF01`."""
    project: str
    """Id of the project in which the email addresses are stored."""
    project_number: Input[int]
    """Number of the project whose cost counts towards the budget."""
    monthly: float
    """Monthly budget, in the billing account's currency."""
    alert_at: tuple[int, ...] = (80, 100)
    """Percentages of the budget at which email is sent. Email is also sent if the forecast monthly cost reaches the
    highest of these percentages."""
    notify: tuple[str, ...]
    """Email addresses that receive the alerts. At most five are allowed."""
    pubsub_topic: Input[str] | None = None
    """Id of an existing Pub/Sub topic to which Cloud Billing publishes the month's cost several times a day. Whoever
    runs `pulumi up` needs `pubsub.topics.setIamPolicy` on it."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster. Only resources labelled with the cluster's name count towards the budget."""

    def __post_init__(self) -> None:
        """Refuse arguments that Google Cloud would refuse, or with which no alert would ever be sent."""
        if wrong_account := wrong_id("billing_account", self.billing_account):
            raise ValueError(f"{_A}.billing_account: {wrong_account[0]}; {wrong_account[1]}")
        if not self.monthly > 0:
            raise ValueError(f"{_A}.monthly: {self.monthly} is not a valid budget; specify a monthly amount above 0")
        if not 0 < len(self.alert_at) < LIMITS.notifications:
            raise ValueError(f"{_A}.alert_at: {len(self.alert_at)} values; specify 1 to {LIMITS.notifications - 1}")
        if wrong := [percent for percent in self.alert_at if percent <= 0 or self.alert_at.count(percent) > 1]:
            raise ValueError(
                f"{_A}.alert_at: {wrong[0]} is a duplicate or is not above 0; specify different percentages above 0"
            )
        if not 1 <= len(self.notify) <= LIMITS.addresses:
            raise ValueError(f"{_A}.notify: {len(self.notify)} email addresses; specify 1 to {LIMITS.addresses}")
        for index, address in enumerate(self.notify):
            if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", address):
                raise ValueError(f"{_A}.notify[{index}]: {address!r} is not a valid email address")


class ClusterBudget(Component[ClusterBudgetArgs]):
    """A budget that sends email when the actual or forecast cost exceeds a threshold, and publishes the cost to a
    Pub/Sub topic. By itself, it does not stop any resources.

    The cost of resources that can't have the label, such as network traffic, is not included. To create a budget, you
    need `roles/billing.costsManager` on the billing account.
    """

    budget_name: Output[str]
    """Name of the budget."""

    def _make(self, name: str, args: ClusterBudgetArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:gcp:ClusterBudget", name, {"monthly": args.monthly}, opts)
        child, billing = pulumi.ResourceOptions(parent=self), gcp.billing
        channels = [
            gcp.monitoring.NotificationChannel(
                f"{name}-mail-{number}",
                project=args.project,
                type="email",
                display_name=f"{name} {number}",
                labels={"email_address": address},
                user_labels=args.tags.for_resource(f"{name}-mail-{number}"),
                opts=child,
            )
            for number, address in enumerate(args.notify, start=1)
        ]
        budget = billing.Budget(
            name,
            billing_account=args.billing_account,
            display_name=name,
            amount=billing.BudgetAmountArgs(specified_amount=_amount(args.monthly)),
            budget_filter=billing.BudgetBudgetFilterArgs(
                projects=[Output.concat("projects/", Output.from_input(args.project_number).apply(str))],
                labels={"clustername": args.tags.for_resource(name)["clustername"]},
            ),
            threshold_rules=_thresholds(args),
            all_updates_rule=billing.BudgetAllUpdatesRuleArgs(
                monitoring_notification_channels=[channel.id for channel in channels],
                disable_default_iam_recipients=True,
                pubsub_topic=args.pubsub_topic,
                schema_version=None if args.pubsub_topic is None else "1.0",
            ),
            opts=child,
        )
        self.budget_name = budget.name
        self.register_outputs({"budgetName": self.budget_name})


def _amount(monthly: float) -> "gcp.billing.BudgetAmountSpecifiedAmountArgs":
    """Return the amount as whole currency units and billionths."""
    units, nanos = divmod(round(monthly * BILLION), BILLION)
    return gcp.billing.BudgetAmountSpecifiedAmountArgs(units=str(units), nanos=nanos or None)


def _thresholds(args: ClusterBudgetArgs) -> "list[gcp.billing.BudgetThresholdRuleArgs]":
    alerts = [("CURRENT_SPEND", percent) for percent in sorted(args.alert_at)]
    alerts.append(("FORECASTED_SPEND", max(args.alert_at)))
    return [
        gcp.billing.BudgetThresholdRuleArgs(threshold_percent=percent / 100, spend_basis=basis)
        for basis, percent in alerts
    ]
