"""The tree of accounts, and the QoS that jobs of an account can have.

A description may have a cycle of parents, or a parent that is not described, which rules report. Every traversal here
terminates nevertheless.
"""

from collections.abc import Mapping

from hpc_components.spec.slurm.models import Account

ROOT = "root"
"""The account above all others; Slurm creates it, with a user of that name."""

NORMAL = "normal"
"""The QoS that slurmdbd creates by itself: the default of accounts without QoS of their own or of a parent."""


MAX_ACCOUNT_LEVELS = 64
"""Maximum depth of the tree. No organization needs more, and traversing it from thousands of accounts must be
fast."""


def above(name: str, accounts: Mapping[str, Account], most: int | None = None) -> tuple[str, ...]:
    """Return the ancestors of an account, the nearest first; at most `most` of them.

    A parent that is not described comes last; in a cycle, each account appears once.
    """
    found: dict[str, None] = {}
    while len(found) != most and (account := accounts.get(name)) is not None and account.parent not in found:
        name = account.parent
        found[name] = None
    return tuple(found)


def parents_first(accounts: Mapping[str, Account]) -> tuple[str, ...]:
    """Return all accounts, each after its ancestors, and otherwise in the order of the description."""
    found: dict[str, None] = {}
    for name in accounts:
        found |= dict.fromkeys(one for one in reversed((name, *above(name, accounts))) if one in accounts)
    return tuple(found)


def qos_of(name: str, accounts: Mapping[str, Account]) -> tuple[str, ...]:
    """Return the QoS that jobs of an account can have, the default first: its own, or those of the nearest account
    above."""
    for one in (name, *above(name, accounts, MAX_ACCOUNT_LEVELS)):
        if one in accounts and accounts[one].qos:
            return accounts[one].qos
    return (NORMAL,)


def usable_qos(accounts: Mapping[str, Account]) -> frozenset[str]:
    """Return the QoS that jobs can have by their account."""
    return frozenset(qos for name in accounts for qos in qos_of(name, accounts))
