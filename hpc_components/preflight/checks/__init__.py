"""The checks of `hpc preflight`. They are the same on every cloud; the clouds' accounts only read."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from hpc_components.catalog.account_facts import MachineFact
from hpc_components.preflight.account import Account, AccountPart
from hpc_components.preflight.asked import Asked
from hpc_components.spec.account_rules import AccountFault
from hpc_components.spec.findings import Problem

Found = tuple[AccountFault, Problem]
Answer = Found | MachineFact
"""What a check yields: something that is wrong, or a fact that may be kept."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """A question to the account."""

    asks: str
    """What is asked, e.g. `machine types`."""
    keys: tuple[str, ...]
    """Keys of the description that the answer judges."""
    permissions: tuple[str, ...]
    """Permissions that the check needs."""
    ask: Callable[[], Iterable[Answer]]
    """Asks the cloud, and returns what is wrong and what is known now. Raises `NotPermittedError` or
    `NotAnsweredError`."""


def first_checks(asked: Asked, account: Account, part: AccountPart) -> Iterator[Check]:
    """Yield the checks without whose success nothing else can be asked."""
    from hpc_components.preflight.checks.places import place_checks

    return place_checks(asked, account, part)


def checks_of(asked: Asked, account: Account, part: AccountPart) -> Iterator[Check]:
    """Yield all other checks that apply to the description."""
    from hpc_components.preflight.checks.machines import machine_checks
    from hpc_components.preflight.checks.named import named_checks
    from hpc_components.preflight.checks.policies import policy_checks
    from hpc_components.preflight.checks.quotas import quota_checks
    from hpc_components.preflight.checks.rights import right_checks
    from hpc_components.preflight.checks.taken import taken_checks

    for each in (machine_checks, quota_checks, named_checks, taken_checks, right_checks, policy_checks):
        yield from each(asked, account, part)
