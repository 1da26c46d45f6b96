"""Rules on the budget, as far as they are the same on every cloud."""

import re
from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule

__all__: list[str] = []


@rule("HPC-BUD-001", Level.ERROR)
def budget_positive(cluster: ClusterSpec) -> Iterator[Problem]:
    """A budget is more than zero.

    Else mail would come at once, and for ever. Source: for AWS, AWS Budgets API reference, CreateBudget.
    """
    if cluster.budget and cluster.budget.monthly <= 0:
        yield Problem(
            path=("budget", "monthly"),
            value=cluster.budget.monthly,
            reason=f"{cluster.budget.monthly:g} USD a month is no budget",
            remedy="write USD a month, or leave budget out",
        )


@rule("HPC-BUD-004", Level.ERROR)
def mail_addresses(cluster: ClusterSpec) -> Iterator[Problem]:
    """Recipients of alerts are mail addresses, each listed once.

    A misspelt address hears nothing, and nobody notices. Source: for AWS, AWS Budgets API reference, Subscriber.
    """
    notify = cluster.budget.notify if cluster.budget else ()
    for index, address in enumerate(notify):
        if not re.fullmatch(r"[^@\s,;<>]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+", address):
            reason, remedy = f"{address!r} is no mail address", "write it like hpc-admins@example.org"
        elif address.lower() in (other.lower() for other in notify[:index]):
            reason, remedy = f"{address} is there twice", "remove one of them"
        else:
            continue
        yield Problem(path=("budget", "notify", index), value=address, reason=reason, remedy=remedy)
