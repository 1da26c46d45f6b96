import math
from collections.abc import Iterator

from hpc_components.catalog import machine, price
from hpc_components.spec.budgets import SpendingBudget
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.node_capacity import node_capacity
from hpc_components.spec.node_rates import node_rate, queue_rate
from hpc_components.spec.queue_defaults import market_of
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import mentions, uses
from hpc_components.spec.rules._people import ORGANIZATIONS, USERS, described_people
from hpc_components.spec.slurm.account_tree import above
from hpc_components.spec.spending import accounts_of, has_budgets
from hpc_components.wording import any_of, did_you_mean

ACCOUNTS: Path = ("slurm", "accounting", "accounts")

MAX_USD = 1e9
"""Maximum budget in USD. The limit is our own, and far above the cost of any cluster."""

MAX_RATE = 10_000
"""Maximum rate in USD per node-hour. The limit is our own, a hundred times the list price of an 8-GPU machine."""

MIN_CPU_RATE = 0.0006
"""Minimum price of a CPU in USD per hour: ten of Slurm's billing units per minute. Slurm cuts the billing of each job
to an integer, so with less, more than a tenth of a one-CPU job could be free."""


def budgets(cluster: ClusterSpec) -> Iterator[tuple[Path, SpendingBudget]]:
    """Yield (path, budget) for every budget of the description."""
    accounting = cluster.slurm.accounting
    for name, account in accounting.accounts.items() if accounting else ():
        if account.budget is not None:
            yield (*ACCOUNTS, name, "budget"), account.budget
    for name, organization in cluster.organizations.items():
        if organization.budget is not None:
            yield (*ORGANIZATIONS, name, "budget"), organization.budget
    for name, user in described_people(cluster).users.items():
        if user.budget is not None:
            yield (*USERS, name, "budget"), user.budget


@rule("HPC-PAY-001", Level.ERROR)
def budget_is_an_amount(cluster: ClusterSpec) -> Iterator[Problem]:
    """A budget must be either `monthly` or `total`, more than zero and at most a billion USD.

    Slurm counts either the usage of a month or that of all time, with one limit. Source: slurm.conf(5),
    PriorityUsageResetPeriod; the maximum is ours.
    """
    for path, budget in budgets(cluster):
        given = [key for key in ("monthly", "total") if getattr(budget, key) is not None]
        if len(given) != 1:
            yield Problem(
                path=path,
                reason="a budget has both monthly and total" if given else "the budget has no amount",
                remedy="remove one of the two" if given else "add monthly: 1000, or total: 1000",
            )
        elif not 0 < budget.usd <= MAX_USD:
            yield Problem(
                path=(*path, given[0]),
                value=budget.usd,
                reason=f"{budget.usd:g} USD is not a valid budget",
                remedy=f"specify an amount in USD up to {MAX_USD:g}, or remove the budget",
            )


@rule("HPC-PAY-002", Level.ERROR)
def budgets_need_accounting(cluster: ClusterSpec) -> Iterator[Problem]:
    """Budgets need accounting.

    Slurm limits the usage of accounts, which are in its database. Source: Slurm's documentation, "Resource Limits".
    """
    if cluster.slurm.accounting is None:
        for path, _ in budgets(cluster):
            yield Problem(
                path=path,
                reason="without accounting, Slurm enforces no limits",
                remedy="add slurm.accounting, and an account for the user",
            )


@rule("HPC-PAY-003", Level.ERROR)
def person_has_one_account(cluster: ClusterSpec) -> Iterator[Problem]:
    """A user with a budget must have exactly one account.

    Slurm limits a user in each account separately, and has no limit for all of them together. Source: Slurm's
    documentation, "Resource Limits"; sacctmgr(1), GrpTRESMins.
    """
    for name, user in cluster.users.items() if cluster.slurm.accounting else ():
        accounts = accounts_of(cluster, name)
        if user.budget is not None and len(accounts) != 1:
            yield Problem(
                path=(*USERS, name, "budget"),
                reason=f"{name} has the accounts {', '.join(accounts)}, and Slurm can't limit them together"
                if accounts
                else f"{name} has no account",
                remedy="leave the user in one account, or give the accounts budgets"
                if accounts
                else "add account: <name> to the user",
            )


@rule("HPC-PAY-004", Level.ERROR)
def prices_are_known(cluster: ClusterSpec) -> Iterator[Problem]:
    """With budgets or `cost_estimates`, the price of every queue's machine types must be known.

    Jobs in a queue without a price would be free. Machines that are paid for in advance have no list price.
    """
    accounting = cluster.slurm.accounting
    counts = has_budgets(cluster) or (accounting is not None and accounting.cost_estimates)
    for index, queue in enumerate(cluster.queues) if counts else ():
        for path, name in mentions(index, queue):
            if node_rate(cluster, queue, name) is None:
                yield Problem(
                    path=path,
                    value=name,
                    reason=f"the catalogue has no price for {name} as queue {queue.name} buys it, so its jobs could "
                    "not be counted",
                    remedy=f"set its price per hour: billing: {{rates: {{{name}: 10.0}}}}",
                )


@rule("HPC-PAY-005", Level.WARNING)
def prices_are_sure(cluster: ClusterSpec) -> Iterator[Problem]:
    """With budgets, prices should be confirmed ones of the cluster's own region.

    Budgets count each job at this price. Spot machines are counted at a list price, although theirs changes hourly.
    """
    found = dict(_unsure_prices(cluster)) if has_budgets(cluster) else {}
    if found:
        first = next(iter(found))
        yield Problem(
            path=first,
            places=tuple(found),
            reason=f"budgets count jobs at prices that may be wrong: {any_of(found.values())}",
            remedy="run `hpc catalog refresh`, or set the prices of your contract in billing.rates",
        )


def _unsure_prices(cluster: ClusterSpec) -> Iterator[tuple[Path, str]]:
    for index, queue in enumerate(cluster.queues):
        market = market_of(queue)
        for path, name in mentions(index, queue):
            rate, facts = node_rate(cluster, queue, name), machine(cluster.cloud, name)
            found = price(facts, cluster.region, market) if facts and market else None
            if rate and rate.basis == "list" and found and (found.unsure or not found.exact_region):
                why = "not confirmed" if found.exact_region else f"that of {found.region}"
                yield path, f"{name} at {found.usd:g} USD an hour ({why})"


@rule("HPC-PAY-007", Level.WARNING)
def parent_has_more(cluster: ClusterSpec) -> Iterator[Problem]:
    """A budget should not exceed that of an account above it.

    What an account spends also counts toward the accounts above it, so the lower of the two limits applies. Source:
    Slurm's documentation, "Resource Limits", hierarchy.
    """
    accounting = cluster.accounting
    accounts = accounting.accounts if accounting else {}
    own = {name: account.budget for name, account in accounts.items() if account.budget}
    own |= {name: one.budget for name, one in cluster.organizations.items() if one.budget}
    lines = [((*ACCOUNTS, name, "budget"), one, above(name, accounts)) for name, one in own.items()]
    for name, user in cluster.users.items():
        if user.budget is not None and len(its := accounts_of(cluster, name)) == 1:
            lines.append(((*USERS, name, "budget"), user.budget, (*its, *above(its[0], accounts))))
    for path, budget, line in lines:
        less = [name for name in line if name in own and _is_less(own[name], budget)]
        if less:
            yield Problem(
                path=path,
                value=budget.usd,
                reason=f"account {less[0]} above has only {own[less[0]].usd:g} USD",
                remedy=f"lower this budget to {own[less[0]].usd:g} USD, or raise that of {less[0]}",
            )


def _is_less(one: SpendingBudget, other: SpendingBudget) -> bool:
    """Return whether one budget is lower than another of the same period."""
    same = (one.monthly is None) == (other.monthly is None)
    return same and one.usd < other.usd


@rule("HPC-PAY-009", Level.ERROR)
def organization_has_one_budget(cluster: ClusterSpec) -> Iterator[Problem]:
    """An organization and the account of its name must not both have a budget.

    They are the same account of Slurm, which has one limit.
    """
    accounting = cluster.slurm.accounting
    for name, account in accounting.accounts.items() if accounting else ():
        organization = cluster.organizations.get(name)
        if account.budget is not None and organization is not None and organization.budget is not None:
            yield Problem(
                path=(*ACCOUNTS, name, "budget"),
                reason=f"organization {name} has a budget too, and both limit the same account",
                remedy=f"remove one of them; organizations.{name}.budget is enough",
            )


@rule("HPC-PAY-010", Level.ERROR)
def rates_are_prices(cluster: ClusterSpec) -> Iterator[Problem]:
    """A rate in `billing.rates` must be more than zero, and of a machine type that the cluster uses.

    It replaces the list price wherever jobs are counted.
    """
    known = {use.name for use in uses(cluster)}
    for name, rate in cluster.billing.rates.items() if cluster.billing else ():
        path = ("billing", "rates", name)
        if not 0 < rate <= MAX_RATE:
            yield Problem(
                path=path,
                value=rate,
                reason=f"{rate:g} USD is not a price of a node-hour",
                remedy=f"specify USD per hour, up to {MAX_RATE}, or remove the line to use the list price",
            )
        elif name not in known:
            yield Problem(
                path=path,
                value=rate,
                reason=f"no queue uses {name}",
                remedy=did_you_mean(name, known, f"remove the line, or use {any_of(sorted(known))}"),
                level=Level.WARNING,
            )


@rule("HPC-PAY-011", Level.ERROR)
def no_job_is_free(cluster: ClusterSpec) -> Iterator[Problem]:
    """With budgets, a CPU must cost at least 0.0006 USD an hour.

    Slurm cuts the billing of each job to an integer of millionths of a dollar per minute, so a job of one cheap CPU
    would be free. Source: Slurm's documentation, "Trackable Resources"; run on Slurm 22.05 and 24.11.
    """
    for index, queue in enumerate(cluster.queues) if has_budgets(cluster) else ():
        rate, has = queue_rate(cluster, queue), node_capacity(queue)
        if rate and has and 0 < float(rate.usd_per_hour) / has.cpus < MIN_CPU_RATE:
            least = math.ceil(MIN_CPU_RATE * has.cpus * 1000) / 1000
            yield Problem(
                path=("queues", index, "machine"),
                value=queue.machine,
                reason=f"at {rate.usd_per_hour} USD an hour, one of its {has.cpus} CPUs costs so little that Slurm "
                "would count jobs too low",
                remedy=f"set billing: {{rates: {{{queue.machine}: {least:g}}}}} or more",
            )
