"""Traverses the account tree and determines which QoS an account's jobs can have.

A description's accounts may form a cycle or name an undescribed parent. Rules report both, but even then all
traversals in this module terminate.
"""

from collections.abc import Mapping

from hpc_components.spec.slurm.models import Account

ROOT = "root"
"""The account above all others. Slurm creates it, together with a user of the same name."""

NORMAL = "normal"
"""The QoS that slurmdbd creates by itself. It is the default for accounts that neither have nor inherit any QoS."""


MAX_ACCOUNT_LEVELS = 64
"""Maximum depth of the tree. It keeps traversals of thousands of accounts fast, and no organization needs more
levels."""


def above(name: str, accounts: Mapping[str, Account], most: int | None = None) -> tuple[str, ...]:
    """Return up to `most` of an account's ancestors, nearest first.

    An undescribed parent comes last. In a cycle, each account appears once.
    """
    found: dict[str, None] = {}
    while len(found) != most and (account := accounts.get(name)) is not None and account.parent not in found:
        name = account.parent
        found[name] = None
    return tuple(found)


def parents_first(accounts: Mapping[str, Account]) -> tuple[str, ...]:
    """Return the names of all accounts in the description's order, except that each comes after its ancestors."""
    found: dict[str, None] = {}
    for name in accounts:
        found |= dict.fromkeys(one for one in reversed((name, *above(name, accounts))) if one in accounts)
    return tuple(found)


def qos_of(name: str, accounts: Mapping[str, Account]) -> tuple[str, ...]:
    """Return the QoS that an account's jobs can have, the default first. An account with no QoS of its own inherits
    those of its nearest ancestor that has any."""
    for one in (name, *above(name, accounts, MAX_ACCOUNT_LEVELS)):
        if one in accounts and accounts[one].qos:
            return accounts[one].qos
    return (NORMAL,)


def usable_qos(accounts: Mapping[str, Account]) -> frozenset[str]:
    """Return the QoS that at least one account allows its jobs to have."""
    return frozenset(qos for name in accounts for qos in qos_of(name, accounts))
