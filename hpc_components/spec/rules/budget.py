from collections.abc import Iterator
from itertools import islice, pairwise
from math import ceil

from hpc_components.catalog import HOURS_PER_MONTH
from hpc_components.catalog.clouds import catalog_of
from hpc_components.spec.budget_span import DAYS_PER_MONTH, span
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.list_cost import full_cost, idle_cost
from hpc_components.spec.node_rates import node_rate
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import cloud_of
from hpc_components.spec.rules._values import wrong_mail_address, wrong_secret

MAX_ALERT_PERCENT = 200
"""Maximum alert threshold in percent. A higher threshold suggests that the budget itself is wrong."""

MAX_BUDGET_USD = 1e9
"""Maximum monthly budget in USD. This limit is our own, and far above the cost of any cluster."""

SHORT_BUDGET_DAYS = 7
"""If a full cluster would spend the budget in fewer days than this, the finding is a warning, because an alert could
come too late: costs are reported up to a day late, and people read mail on weekdays."""


@rule("HPC-BUD-001", Level.ERROR)
def budget_positive(cluster: ClusterSpec) -> Iterator[Problem]:
    """A budget must be more than zero (on Azure, at least one USD) and at most a billion USD a month.

    Otherwise, alerts would be sent either at the beginning of every month or never. Source: for AWS, AWS Budgets API
    reference, CreateBudget; for Azure, Budgets - Create Or Update.
    """
    limits = catalog_of(cluster.cloud).budget_limits()
    least = limits.least_usd if limits else 0
    if cluster.budget and not (0 < cluster.budget.monthly <= MAX_BUDGET_USD and cluster.budget.monthly >= least):
        yield Problem(
            path=("budget", "monthly"),
            value=cluster.budget.monthly,
            reason=f"{cluster.budget.monthly:g} USD a month is not a valid budget",
            remedy="specify a monthly amount in USD, or leave budget out",
        )


@rule("HPC-BUD-002", Level.ERROR)
def alert_percents(cluster: ClusterSpec) -> Iterator[Problem]:
    """Alert thresholds must be 1 to 200 percent of the budget, in ascending order, without duplicates.

    Source: on AWS, AWS Budgets API reference, Notification.
    """
    alerts = cluster.budget.alert_at if cluster.budget else ()
    for index, percent in enumerate(alerts):
        path = ("budget", "alert_at", index)
        if not 1 <= percent <= MAX_ALERT_PERCENT:
            yield Problem(
                path=path,
                value=percent,
                reason=f"{percent} is not a valid percentage of the budget",
                remedy=f"use a percentage from 1 to {MAX_ALERT_PERCENT}",
            )
        elif percent in alerts[:index]:
            yield Problem(path=path, value=percent, reason=f"{percent} is a duplicate", remedy="remove the duplicate")
    if any(one > other for one, other in pairwise(alerts)):
        yield Problem(
            path=("budget", "alert_at"),
            value=", ".join(map(str, alerts)),
            reason="the alerts are not in ascending order",
            remedy=f"use [{', '.join(map(str, sorted(set(alerts))))}]",
            level=Level.WARNING,
        )


@rule("HPC-BUD-003", Level.ERROR)
def alert_count(cluster: ClusterSpec) -> Iterator[Problem]:
    """A budget must have at least one alert, and no more than the cloud can send.

    The forecast alert also counts toward this maximum. Source: on AWS, AWS Budgets quotas: ten notifications.
    """
    limits = catalog_of(cluster.cloud).budget_limits()
    count = len(cluster.budget.alert_at) if cluster.budget else 0
    most = limits.notifications - 1 if limits else max(count, 1)
    if cluster.budget and not 1 <= count <= most:
        yield Problem(
            path=("budget", "alert_at"),
            value=count,
            reason=f"{count} alerts are too many: {cloud_of(cluster)} supports {most}, plus one for the forecast"
            if count
            else "the budget has no alerts",
            remedy=f"use at most {most} alerts" if count else "use [80, 100]",
        )


@rule("HPC-BUD-004", Level.ERROR)
def mail_addresses(cluster: ClusterSpec) -> Iterator[Problem]:
    """Alert recipients must be email addresses, without duplicates.

    Alerts to a misspelt address are lost without an error. Source: for AWS, AWS Budgets API reference, Subscriber.
    """
    notify = cluster.budget.notify if cluster.budget else ()
    for index, address in enumerate(notify):
        if wrong := wrong_mail_address(address, notify[:index]):
            yield Problem(path=("budget", "notify", index), value=address, reason=wrong[0], remedy=wrong[1])


@rule("HPC-BUD-005", Level.ERROR)
def mail_count(cluster: ClusterSpec) -> Iterator[Problem]:
    """Alerts must have at least one recipient, and no more than the cloud supports.

    Source: on AWS, AWS Budgets API reference, Subscriber: ten.
    """
    limits = catalog_of(cluster.cloud).budget_limits()
    count = len(cluster.budget.notify) if cluster.budget else 0
    most = limits.addresses if limits else max(count, 1)
    if cluster.budget and not 1 <= count <= most:
        yield Problem(
            path=("budget", "notify"),
            value=count,
            reason=f"{cloud_of(cluster)} supports 1 to {most} alert recipients, but the budget has {count}",
            remedy="use the address of a mailing list",
        )


@rule("HPC-BUD-006", Level.WARNING)
def budget_for_nothing(cluster: ClusterSpec) -> Iterator[Problem]:
    """The budget should be higher than the cost of the idle cluster.

    Source: list prices in the catalogue, and `billing.rates`; items without a price there are not counted.
    """
    if cluster.budget is None or cluster.budget.monthly <= 0:
        return
    parts = idle_cost(cluster)
    total = sum(parts.values())
    if cluster.budget.monthly < total:
        so = ", and would launch nothing for the rest of the month" if cluster.budget.stop_launches else ""
        yield Problem(
            path=("budget", "monthly"),
            value=cluster.budget.monthly,
            reason=f"the cluster costs at least {total:,.0f} USD a month without running a single job "
            f"({_most(parts)}; {_prices(cluster)}){so}",
            remedy=f"increase the budget to more than {ceil(total / 100) * 100} USD, or use a smaller cluster",
        )


@rule("HPC-BUD-008", Level.INFO)
def budget_spent_early(cluster: ClusterSpec) -> Iterator[Problem]:
    """The budget should be enough to run the full cluster for a whole month.

    Few clusters are full all month, so this finding is usually only informational. It becomes a warning if a full
    cluster would spend the budget within a week. Without `stop_launches`, nothing stops then: the cloud's budget
    only sends mail, based on costs that are up to a day old. For a plan, the rule uses the plan's own total, which
    includes items that a description doesn't show, such as addresses and node disks. Source: on AWS, AWS Budgets user
    guide, "Managing your costs with AWS Budgets"; list prices, and `billing.rates`; items without a price are not
    counted.
    """
    yield from spent_early(cluster)


def spent_early(cluster: ClusterSpec, planned: float | None = None) -> Iterator[Problem]:
    """Yield the problem that HPC-BUD-008 reports, if any. `planned` is the plan's monthly cost in USD with all queues
    full, or None if there is no plan.
    """
    if cluster.budget is None or cluster.budget.monthly <= sum(idle_cost(cluster).values()):
        return
    parts = full_cost(cluster)
    total = sum(parts.values()) if planned is None else planned
    least = "at least " if planned is None else ""
    days = cluster.budget.monthly / total * DAYS_PER_MONTH if total else DAYS_PER_MONTH
    if days < DAYS_PER_MONTH:
        yield Problem(
            path=("budget", "monthly"),
            value=cluster.budget.monthly,
            reason=f"with all queues full, the budget is spent in {span(days)}: "
            f"{least}{total / HOURS_PER_MONTH:,.2f} USD an hour, {total:,.0f} a month ({_most(parts)}; "
            f"{_prices(cluster)}). {_then(cluster)}",
            remedy=f"lower max, or use a budget of at least {ceil(total / 1000) * 1000:,} USD if the cluster may be "
            "full all month; QoS limits (slurm.accounting.qos) can also restrict usage, but require accounts "
            "(slurm.accounting.accounts)",
            level=Level.WARNING if days < SHORT_BUDGET_DAYS else None,
        )


def _prices(cluster: ClusterSpec) -> str:
    return "list prices and billing.rates" if cluster.billing and cluster.billing.rates else "list prices"


def _then(cluster: ClusterSpec) -> str:
    if cluster.budget and cluster.budget.stop_launches:
        return "Then nothing is launched until the month ends"
    return f"{cloud_of(cluster)} then sends mail, but doesn't stop anything"


@rule("HPC-BUD-013", Level.ERROR)
def stop_counts_everything(cluster: ClusterSpec) -> Iterator[Problem]:
    """If a budget stops launches, the price of every queue's machines must be known.

    Machines without a price would count as free, and the budget would never be spent. Source: the catalogue's prices,
    and `billing.rates`.
    """
    if cluster.budget is None or not cluster.budget.stop_launches:
        return
    for number, queue in enumerate(cluster.queues):
        unknown = [name for name in queue.machines if node_rate(cluster, queue, name) is None]
        if unknown:
            yield Problem(
                path=("queues", number, "machine"),
                value=unknown[0],
                places=(("queues", number, "machine"), ("budget", "stop_launches")),
                reason=f"no price of {', '.join(unknown)} is known for queue {queue.name!r}, so the budget could not "
                "count these machines",
                remedy=f"add the price of a node-hour in USD: billing: {{rates: {{{unknown[0]}: 12.30}}}}; or remove "
                "budget.stop_launches",
            )


@rule("HPC-BUD-014", Level.ERROR)
def webhook_secret(cluster: ClusterSpec) -> Iterator[Problem]:
    """The address of a webhook must be in a secret in the cluster's region, specified by its full name.

    Everyone who knows the address may write to the channel, so no file of the project contains it. Source: Slack API
    documentation, "Sending messages using incoming webhooks": the URL contains a secret.
    """
    if cluster.budget and cluster.budget.webhook_secret is not None:
        yield from wrong_secret(cluster, ("budget", "webhook_secret"), cluster.budget.webhook_secret)


def _most(parts: dict[str, float]) -> str:
    return ", ".join(f"{what} {usd:,.0f}" for what, usd in islice(parts.items(), 3))
