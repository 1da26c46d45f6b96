"""Accounts as a description has them: who is above whom, and which QoS a job can have by its account."""

from collections.abc import Mapping

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Path
from hpc_components.spec.slurm import Account, Accounting

__all__ = ["ACCOUNTS", "ALWAYS", "QOS", "ROOT", "above", "described", "qos_of"]

ROOT = "root"
"""The account above all others; Slurm makes it, and a user of that name in it."""

ALWAYS = "normal"
"""The QoS that slurmdbd makes by itself: that of accounts that name none, and whose parents name none."""

QOS: Path = ("slurm", "accounting", "qos")
ACCOUNTS: Path = ("slurm", "accounting", "accounts")


def described(cluster: ClusterSpec) -> Accounting:
    """What the description says of accounting; nothing where there is none."""
    return cluster.slurm.accounting or Accounting()


def above(name: str, accounts: Mapping[str, Account]) -> tuple[str, ...]:
    """All accounts above one, the nearest first, with what is not described last; each once in a ring."""
    found: list[str] = []
    while (account := accounts.get(name)) is not None and account.parent not in found:
        name = account.parent
        found.append(name)
    return tuple(found)


def qos_of(name: str, accounts: Mapping[str, Account]) -> tuple[str, ...]:
    """The QoS that jobs of an account can have, the default first: its own, or those of the nearest above."""
    for one in (name, *above(name, accounts)):
        if one in accounts and accounts[one].qos:
            return accounts[one].qos
    return (ALWAYS,)
