"""Rules on the budget."""

from collections.abc import Iterator
from itertools import islice, pairwise
from math import ceil

from hpc_components.aws.catalog.limits import service_limit
from hpc_components.aws.rules._list_cost import full_cost, idle_cost
from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog import HOURS_PER_MONTH
from hpc_components.spec.budget_span import MONTH, span
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule

__all__: list[str] = []

HIGHEST_ALERT = 200
"""Percent. A higher alert means that the budget itself is wrong."""

SHORT = 7
"""Days: AWS tells of costs up to a day late, and people read mail on weekdays."""


@rule("HPC-BUD-002", Level.ERROR)
def alert_percents(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Alerts are at 1 to 200 percent of the budget, each once, in rising order.

    Source: AWS Budgets API reference, Notification.
    """
    alerts = cluster.budget.alert_at if cluster.budget else ()
    for index, percent in enumerate(alerts):
        path = ("budget", "alert_at", index)
        if not 1 <= percent <= HIGHEST_ALERT:
            yield Problem(
                path=path,
                value=percent,
                reason=f"{percent} is no percentage of the budget to be told at",
                remedy=f"use 1 to {HIGHEST_ALERT}",
            )
        elif percent in alerts[:index]:
            yield Problem(path=path, value=percent, reason=f"{percent} is there twice", remedy="remove one of them")
    if any(one > other for one, other in pairwise(alerts)):
        yield Problem(
            path=("budget", "alert_at"),
            value=", ".join(map(str, alerts)),
            reason="they are not in rising order",
            remedy=f"use [{', '.join(map(str, sorted(set(alerts))))}]",
            level=Level.WARNING,
        )


@rule("HPC-BUD-003", Level.ERROR)
def alert_count(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A budget has one to nine alerts.

    AWS sends ten notifications for a budget; the tenth is for the forecast. Source: AWS Budgets quotas.
    """
    most = service_limit("budgets.notifications") - 1
    if cluster.budget and not 1 <= len(cluster.budget.alert_at) <= most:
        count = len(cluster.budget.alert_at)
        yield Problem(
            path=("budget", "alert_at"),
            value=count,
            reason=f"{count} alerts, and AWS sends {most} and one for the forecast" if count else "nobody is told",
            remedy=f"use at most {most}" if count else "use [80, 100]",
        )


@rule("HPC-BUD-005", Level.ERROR)
def mail_count(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Alerts go to one to ten mail addresses.

    Source: AWS Budgets API reference, Subscriber.
    """
    most = service_limit("budgets.addresses")
    if cluster.budget and not 1 <= len(cluster.budget.notify) <= most:
        yield Problem(
            path=("budget", "notify"),
            value=len(cluster.budget.notify),
            reason=f"AWS sends mail to 1 to {most} addresses, not to {len(cluster.budget.notify)}",
            remedy="name the address of a mailing list",
        )


@rule("HPC-BUD-006", Level.WARNING)
def budget_for_nothing(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The budget is more than the cluster costs while nobody uses it.

    Source: the catalogue's list prices; what has no price there is not counted.
    """
    if cluster.budget is None or cluster.budget.monthly <= 0:
        return
    parts = idle_cost(cluster)
    total = sum(parts.values())
    if cluster.budget.monthly < total:
        yield Problem(
            path=("budget", "monthly"),
            value=cluster.budget.monthly,
            reason=f"the cluster costs at least {total:,.0f} USD a month without a single job "
            f"({_most(parts)}; list prices)",
            remedy=f"use more than {ceil(total / 100) * 100}, or a smaller cluster",
        )


@rule("HPC-BUD-007", Level.INFO)
def budget_tag(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """A budget counts by the tag ClusterName once that is a cost allocation tag.

    This is switched on by hand, once for an account, a day after the tag was first used. Source: AWS Billing user
    guide, "Activating user-defined cost allocation tags".
    """
    if cluster.budget:
        yield Problem(
            path=("budget",),
            reason="it stays at zero until the tag ClusterName is activated for cost allocation in the account",
            remedy="once: aws ce update-cost-allocation-tags-status --cost-allocation-tags-status "
            "TagKey=ClusterName,Status=Active",
        )


@rule("HPC-BUD-008", Level.INFO)
def budget_spent_early(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """The budget pays for a whole month of the full cluster.

    Few clusters are full all month, so this is for information; a warning where a full cluster spends the budget
    within a week. AWS Budgets sends mail and stops nothing; it counts costs up to a day late. Source: AWS Budgets
    user guide, "Managing your costs with AWS Budgets"; list prices; what has no price is not counted.
    """
    if cluster.budget is None or cluster.budget.monthly <= sum(idle_cost(cluster).values()):
        return
    parts = full_cost(cluster)
    total = sum(parts.values())
    days = cluster.budget.monthly / total * MONTH if total else MONTH
    if days < MONTH:
        yield Problem(
            path=("budget", "monthly"),
            value=cluster.budget.monthly,
            reason=f"with all queues full it is spent in {span(days)}: {total / HOURS_PER_MONTH:,.2f} USD an hour, "
            f"{total:,.0f} a month ({_most(parts)}; list prices). AWS sends mail then, and stops nothing",
            remedy=f"use a lower max, or at least {ceil(total / 1000) * 1000:,} USD if it may be full all month; "
            "QoS limits (slurm.accounting.qos) hold usage down where there are accounts (slurm.accounting.accounts)",
            level=Level.WARNING if days < SHORT else None,
        )


def _most(parts: dict[str, float]) -> str:
    return ", ".join(f"{what} {usd:,.0f}" for what, usd in islice(parts.items(), 3))
