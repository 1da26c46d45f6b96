"""A monthly budget for all resources that are tagged with the cluster's name."""

import re
from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws
from pulumi import Input

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.catalog.limits import budget_limits
from hpc_components.aws.identity.permissions import budget_action_statements
from hpc_components.aws.identity.policies import trust_document
from hpc_components.aws.identity.roles import attach_policy, make_role
from hpc_components.aws.ports import Identity
from hpc_components.aws.tags import Tags
from hpc_components.component import Component
from hpc_components.resource_options import depends_on

LIMITS = budget_limits()


@dataclass(frozen=True, kw_only=True)
@checked_args
class ClusterBudgetArgs:
    """Arguments of `ClusterBudget`."""

    cluster: str
    """Value of the `ClusterName` tag. This tag must be activated as a cost allocation tag, once per account."""
    monthly_usd: float
    """Budget in USD per month."""
    alert_at: tuple[int, ...] = (80, 100)
    """Percentages of the budget at which alerts are sent. The highest percentage also applies to the month's
    forecast."""
    notify: tuple[str, ...]
    """Email addresses that receive the alerts."""
    stops: Identity | None = None
    """Role of the head node, with its policy `launch_denial`. AWS attaches the policy once actual spending exceeds
    the budget, which may be half a day late. Default: the budget only sends email."""
    permissions_boundary: Input[str] | None = None
    """ARN of the permissions boundary of the role with which AWS attaches the policy."""
    role_path: str = "/"
    """IAM path of that role."""
    tags: Tags = field(default_factory=Tags)
    """The cluster's tags."""

    def __post_init__(self) -> None:
        """Refuse arguments that AWS Budgets would refuse, or that could never trigger an alert."""
        if not self.monthly_usd > 0:
            raise ValueError(
                f"ClusterBudgetArgs.monthly_usd: {self.monthly_usd} is not a positive amount; specify a "
                "budget above 0 USD per month"
            )
        if not self.alert_at or len(self.alert_at) >= LIMITS.notifications:
            raise ValueError(
                f"ClusterBudgetArgs.alert_at: got {len(self.alert_at)} values; specify 1 to "
                f"{LIMITS.notifications - 1}"
            )
        if wrong := [percent for percent in self.alert_at if percent <= 0 or self.alert_at.count(percent) > 1]:
            raise ValueError(
                f"ClusterBudgetArgs.alert_at: {wrong[0]} must be a percentage above 0 and must appear only once"
            )
        if not 1 <= len(self.notify) <= LIMITS.addresses:
            raise ValueError(
                f"ClusterBudgetArgs.notify: got {len(self.notify)} email addresses; specify 1 to {LIMITS.addresses}"
            )
        for index, address in enumerate(self.notify):
            if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", address):
                raise ValueError(f"ClusterBudgetArgs.notify[{index}]: {address!r} is not an email address")
        if self.stops and (self.stops.role_name is None or self.stops.launch_denial is None):
            raise ValueError("ClusterBudgetArgs.stops: the identity needs role_name and launch_denial")


class ClusterBudget(Component[ClusterBudgetArgs]):
    """A budget that sends email when actual or forecast spending exceeds a threshold.

    With `stops`, AWS also denies the head node further launches once the budget is exceeded. Running machines go on.
    """

    budget_name: pulumi.Output[str]
    """Name of the budget."""

    def _make(self, name: str, args: ClusterBudgetArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:aws:ClusterBudget", name, {"monthlyUsd": args.monthly_usd}, opts)
        alerts = [("ACTUAL", percent) for percent in sorted(args.alert_at)]
        alerts.append(("FORECASTED", max(args.alert_at)))
        budget = aws.budgets.Budget(
            name,
            budget_type="COST",
            time_unit="MONTHLY",
            limit_amount=f"{args.monthly_usd:.2f}",
            limit_unit="USD",
            cost_filters=[
                aws.budgets.BudgetCostFilterArgs(name="TagKeyValue", values=[f"user:ClusterName${args.cluster}"])
            ],
            notifications=[
                aws.budgets.BudgetNotificationArgs(
                    notification_type=kind,
                    comparison_operator="GREATER_THAN",
                    threshold=percent,
                    threshold_type="PERCENTAGE",
                    subscriber_email_addresses=list(args.notify),
                )
                for kind, percent in alerts
            ],
            tags=args.tags.for_resource(name),
            opts=pulumi.ResourceOptions(parent=self),
        )
        if args.stops:
            self._stop_launches(name, args, args.stops, budget)
        self.budget_name = budget.name
        self.register_outputs({"budgetName": self.budget_name})

    def _stop_launches(
        self, name: str, args: ClusterBudgetArgs, head: Identity, budget: "aws.budgets.Budget"
    ) -> None:
        child = pulumi.ResourceOptions(parent=self)
        assert head.role_name is not None, "checked by the arguments"
        assert head.launch_denial is not None, "checked by the arguments"
        # AWS accepts only roles of the budget's own account, so the service is all that must be trusted.
        # Source: Budgets API reference, CreateBudgetAction, ExecutionRoleArn.
        role = make_role(
            f"{name}-role",
            trust=trust_document("budgets.amazonaws.com"),
            tags=args.tags,
            permissions_boundary=args.permissions_boundary,
            role_path=args.role_path,
            opts=child,
        )
        allowed = attach_policy(
            f"{name}-role", role.name, budget_action_statements(head.launch_denial, head.role_arn), child
        )
        aws.budgets.BudgetAction(
            f"{name}-stop",
            budget_name=budget.name,
            action_type="APPLY_IAM_POLICY",
            approval_model="AUTOMATIC",
            notification_type="ACTUAL",
            action_threshold=aws.budgets.BudgetActionActionThresholdArgs(
                action_threshold_type="PERCENTAGE", action_threshold_value=100
            ),
            definition=aws.budgets.BudgetActionDefinitionArgs(
                iam_action_definition=aws.budgets.BudgetActionDefinitionIamActionDefinitionArgs(
                    policy_arn=head.launch_denial, roles=[head.role_name]
                )
            ),
            execution_role_arn=role.arn,
            subscribers=[
                aws.budgets.BudgetActionSubscriberArgs(subscription_type="EMAIL", address=address)
                for address in args.notify
            ],
            tags=args.tags.for_resource(f"{name}-stop"),
            opts=depends_on(child, allowed),
        )
