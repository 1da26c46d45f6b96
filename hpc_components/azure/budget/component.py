import re
from dataclasses import dataclass
from datetime import UTC, datetime

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input, Output

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.limits import budget_limits
from hpc_components.component import Component

LIMITS = budget_limits()

MAX_PERCENT = 1000
"""Maximum threshold of a notification, in percent. Source: Consumption API reference, Budgets, threshold."""

_A = "ClusterBudgetArgs"


@dataclass(frozen=True, kw_only=True)
@checked_args
class ClusterBudgetArgs:
    """Arguments of `ClusterBudget`."""

    groups: tuple[Input[str], ...]
    """Names of the resource groups whose costs are counted."""
    subscription: Input[str]
    """Id of the subscription that contains the groups, in the form `/subscriptions/<guid>`."""
    monthly: float
    """Monthly budget, in the subscription's billing currency."""
    alert_at: tuple[int, ...] = (80, 100)
    """Percentages of the budget at which mail is sent. Mail is also sent if the month's forecast exceeds the highest
    percentage."""
    notify: tuple[str, ...]
    """Mail addresses of the recipients."""
    action_groups: tuple[Input[str], ...] = ()
    """Ids of action groups that are run together with each mail."""

    def __post_init__(self) -> None:
        """Raise ValueError for arguments that Azure would refuse, or that would never cause mail to be sent."""
        if not self.groups:
            raise ValueError(f"{_A}.groups is empty; list the cluster's resource groups")
        if not self.monthly >= LIMITS.least_usd:
            raise ValueError(f"{_A}.monthly: {self.monthly} is not a valid budget; specify a higher monthly amount")
        if not self.alert_at or len(self.alert_at) >= LIMITS.notifications:
            raise ValueError(
                f"{_A}.alert_at has {len(self.alert_at)} values; specify 1 to {LIMITS.notifications - 1}"
            )
        if wrong := [
            percent for percent in self.alert_at
            if not 0 < percent <= MAX_PERCENT or self.alert_at.count(percent) > 1
        ]:  # fmt: skip
            raise ValueError(f"{_A}.alert_at: {wrong[0]} is a duplicate or not between 1 and {MAX_PERCENT}")
        if not 1 <= len(self.notify) <= LIMITS.addresses:
            raise ValueError(f"{_A}.notify has {len(self.notify)} mail addresses; specify 1 to {LIMITS.addresses}")
        for index, address in enumerate(self.notify):
            if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", address):
                raise ValueError(f"{_A}.notify[{index}]: {address!r} is not a mail address")


class ClusterBudget(Component[ClusterBudgetArgs]):
    """A budget that sends mail, and runs action groups, when actual or forecast costs exceed a threshold. By itself,
    it doesn't stop spending.

    The budget belongs to the subscription and filters by resource group. A budget on one group would miss the other
    group's costs, and a filter by tags would miss some untagged resources that are created along with machines.
    Creating the budget requires `Microsoft.Consumption/budgets/write` on the subscription, which Contributor and Cost
    Management Contributor include.
    """

    budget_name: Output[str]
    """Name of the budget."""

    def _make(self, name: str, args: ClusterBudgetArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:azure:ClusterBudget", name, {"monthly": args.monthly}, opts)
        consumption = azure_native.consumption
        subscription = Output.from_input(args.subscription)
        budget = consumption.Budget(
            name,
            scope=subscription,
            category=consumption.CategoryType.COST,
            amount=args.monthly,
            time_grain=consumption.TimeGrainType.MONTHLY,
            # evaluated only when the subscription is known, so that offline plans don't change from month to month
            time_period=consumption.BudgetTimePeriodArgs(start_date=subscription.apply(lambda _: _this_month())),
            filter=consumption.BudgetFilterArgs(
                dimensions=consumption.BudgetComparisonExpressionArgs(
                    name="ResourceGroupName",
                    operator=consumption.BudgetOperatorType.IN_,
                    values=list(args.groups),
                )
            ),
            notifications=_notifications(args),
            # Azure requires the start date to be in the month in which the budget is created, and refuses later
            # changes
            opts=pulumi.ResourceOptions(parent=self, ignore_changes=["timePeriod"]),
        )
        self.budget_name = budget.name
        self.register_outputs({"budgetName": self.budget_name})


def _notifications(args: ClusterBudgetArgs) -> "dict[str, azure_native.consumption.NotificationArgs]":
    kinds = azure_native.consumption.ThresholdType
    alerts = [(kinds.ACTUAL, percent) for percent in sorted(args.alert_at)]
    alerts.append((kinds.FORECASTED, max(args.alert_at)))
    return {
        f"{kind.value}-{percent}": azure_native.consumption.NotificationArgs(
            enabled=True,
            operator=azure_native.consumption.OperatorType.GREATER_THAN,
            threshold=percent,
            threshold_type=kind,
            contact_emails=list(args.notify),
            contact_groups=list(args.action_groups) or None,
        )
        for kind, percent in alerts
    }


def _this_month() -> str:
    return datetime.now(UTC).strftime("%Y-%m-01T00:00:00Z")
