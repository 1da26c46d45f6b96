from collections.abc import Iterator

from hpc_components.preflight.account import Account, AccountPart, Demand
from hpc_components.preflight.asked import Asked
from hpc_components.preflight.checks import Check, Found
from hpc_components.spec.account_rules import AccountFault
from hpc_components.spec.findings import Level, Problem


def policy_checks(asked: Asked, account: Account, part: AccountPart) -> Iterator[Check]:
    by_policy: dict[str, list[Demand]] = {}
    for each in part.demands(asked):
        by_policy.setdefault(each.policy, []).append(each)
    for policy, some in by_policy.items():
        yield Check(
            asks=f"policies of the organization ({policy})",
            keys=tuple(dict.fromkeys(str(each.path[0]) for each in some if each.path)),
            permissions=tuple(part.permissions["forbidden"]),
            ask=lambda some=some: _forbidden(account, some),
        )


def _forbidden(account: Account, some: list[Demand]) -> Iterator[Found]:
    for each in some:
        refusal = account.forbidden(each)
        if refusal is None:
            continue
        verb = "forbids" if refusal.certain else "may forbid"
        yield (
            AccountFault.POLICY,
            Problem(
                path=each.path,
                value=None,
                reason=f"{refusal.by} {verb} {each.words} for {account.who}",
                remedy=each.remedy or "have an administrator of the organization permit this for the account",
                level=None if refusal.certain else Level.WARNING,
                about={"policy": refusal.by},
            ),
        )
