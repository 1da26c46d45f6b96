"""Lists what the people, accounts and organizations of a cluster may spend."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hpc_components.spec.budgets import SpendingBudget
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingLimit:
    """A budget, and the association of Slurm that it limits."""

    kind: Literal["account", "organization", "person"]
    name: str
    """Name of the account, organization or user."""
    account: str
    """Slurm account of the association."""
    user: str | None
    """User of the association, or None if the limit is one of the whole account."""
    budget: SpendingBudget
    path: Path


def has_budgets(cluster: ClusterSpec) -> bool:
    return any(True for _ in spending_limits(cluster))


def spending_limits(cluster: ClusterSpec) -> Iterator[SpendingLimit]:
    """Yield every budget of the description, without those of users who have no account or several ones.

    If an account has its organization's name, the organization's budget takes precedence. Rules report such
    mistakes.
    """
    accounting = cluster.accounting
    if accounting is None:
        return
    for name, organization in cluster.organizations.items():
        if organization.budget is not None:
            path = ("organizations", name, "budget")
            yield SpendingLimit(
                kind="organization", name=name, account=name, user=None, budget=organization.budget, path=path
            )
    for name, account in accounting.accounts.items():
        above = cluster.organizations.get(name)
        if account.budget is not None and (above is None or above.budget is None):
            path = ("slurm", "accounting", "accounts", name, "budget")
            yield SpendingLimit(kind="account", name=name, account=name, user=None, budget=account.budget, path=path)
    for name, user in cluster.users.items():
        accounts = accounts_of(cluster, name)
        if user.budget is not None and len(accounts) == 1:
            path = ("people", "users", name, "budget")
            yield SpendingLimit(
                kind="person", name=name, account=accounts[0], user=name, budget=user.budget, path=path
            )


def accounts_of(cluster: ClusterSpec, user: str) -> tuple[str, ...]:
    """Return the names of the accounts that a user's jobs can use."""
    accounting = cluster.accounting
    return tuple(name for name, one in accounting.accounts.items() if user in one.users) if accounting else ()
