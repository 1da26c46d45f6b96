"""Traverses the account tree and determines which QoS an account's jobs can use.

The accounts in a description may form a cycle, or specify a parent that is not described. Rules report both mistakes,
but the functions in this module must terminate even so.
"""

from collections.abc import Mapping

from hpc_components.spec.slurm.models import Account

ROOT = "root"
"""Name of the top-level account. Slurm creates this account and a user of the same name."""

NORMAL = "normal"
"""Name of the QoS that slurmdbd always creates. Accounts that neither specify nor inherit a QoS use this one."""


MAX_ACCOUNT_LEVELS = 64
"""Maximum depth of the account tree. The limit keeps traversals fast even with thousands of accounts, and no
organization needs more levels."""


def above(name: str, accounts: Mapping[str, Account], most: int | None = None) -> tuple[str, ...]:
    """Return up to `most` ancestors of an account, nearest first.

    A parent that is not described comes last. In a cycle, each account appears only once.
    """
    found: dict[str, None] = {}
    while len(found) != most and (account := accounts.get(name)) is not None and account.parent not in found:
        name = account.parent
        found[name] = None
    return tuple(found)


def parents_first(accounts: Mapping[str, Account]) -> tuple[str, ...]:
    """Return all account names in description order, except that each account comes after its ancestors."""
    found: dict[str, None] = {}
    for name in accounts:
        found |= dict.fromkeys(one for one in reversed((name, *above(name, accounts))) if one in accounts)
    return tuple(found)


def qos_of(name: str, accounts: Mapping[str, Account]) -> tuple[str, ...]:
    """Return the QoS that an account's jobs can use, beginning with the default. An account without its own QoS
    inherits those of the nearest ancestor that has any.
    """
    for one in (name, *above(name, accounts, MAX_ACCOUNT_LEVELS)):
        if one in accounts and accounts[one].qos:
            return accounts[one].qos
    return (NORMAL,)


def usable_qos(accounts: Mapping[str, Account]) -> frozenset[str]:
    return frozenset(qos for name in accounts for qos in qos_of(name, accounts))
