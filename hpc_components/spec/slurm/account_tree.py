"""The tree of accounts: which is above which, and which QoS jobs of an account can have.

A description may have a cycle of parents, or a parent that is not described, which rules report; every walk here
ends.
"""

from collections.abc import Mapping

from hpc_components.spec.slurm.models import Account

__all__ = ["DEEPEST", "NORMAL", "ROOT", "above", "parents_first", "qos_of", "usable_qos"]

ROOT = "root"
"""The account above all others; Slurm makes it, and a user of that name in it."""

NORMAL = "normal"
"""The QoS that slurmdbd makes by itself: that of accounts that name none, and whose parents name none."""


DEEPEST = 64
"""Levels of accounts. No organization has so many, and a walk from each of thousands must end soon."""


def above(name: str, accounts: Mapping[str, Account], most: int | None = None) -> tuple[str, ...]:
    """All accounts above one, or the nearest `most`: the nearest first, a parent that is not described last; in a
    cycle each once.
    """
    found: dict[str, None] = {}
    while len(found) != most and (account := accounts.get(name)) is not None and account.parent not in found:
        name = account.parent
        found[name] = None
    return tuple(found)


def parents_first(accounts: Mapping[str, Account]) -> tuple[str, ...]:
    """All accounts, each after those above it, otherwise in the order of the description."""
    found: dict[str, None] = {}
    for name in accounts:
        found |= dict.fromkeys(one for one in reversed((name, *above(name, accounts))) if one in accounts)
    return tuple(found)


def qos_of(name: str, accounts: Mapping[str, Account]) -> tuple[str, ...]:
    """The QoS that jobs of an account can have, the default first: its own, or those of the nearest account above."""
    for one in (name, *above(name, accounts, DEEPEST)):
        if one in accounts and accounts[one].qos:
            return accounts[one].qos
    return (NORMAL,)


def usable_qos(accounts: Mapping[str, Account]) -> frozenset[str]:
    """The QoS that jobs can have by their account."""
    return frozenset(qos for name in accounts for qos in qos_of(name, accounts))
