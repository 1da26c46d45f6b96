from collections.abc import Iterator

from hpc_components.preflight.account import Account, AccountPart, NewName
from hpc_components.preflight.asked import Asked
from hpc_components.preflight.checks import Check, Found
from hpc_components.spec.account_rules import AccountFault
from hpc_components.spec.findings import Level, Problem


def taken_checks(asked: Asked, account: Account, part: AccountPart) -> Iterator[Check]:
    every = list(part.new_names(asked))
    for kind in dict.fromkeys(each.kind for each in every):
        some = [each for each in every if each.kind == kind]
        yield Check(
            asks=f"names of new {kind}s",
            keys=tuple(dict.fromkeys(str(each.path[0]) for each in some if each.path)),
            permissions=tuple(part.permissions[kind]),
            ask=lambda some=some: _taken(account, some),
        )


def _taken(account: Account, some: list[NewName]) -> Iterator[Found]:
    for each in some:
        owner = account.owner(each.kind, each.name)
        if owner is None:
            continue
        own = owner == "caller"
        whose = {"caller": f"{account.who}", "other": "another account", "unknown": "an account"}[owner]
        yield (
            AccountFault.TAKEN,
            Problem(
                path=each.path,
                value=each.name,
                reason=f"{whose} already has a {each.kind} {each.name}",
                remedy="if this stack has not created it, choose another name" if own else "choose another name",
                level=Level.INFO if own else None,
            ),
        )
