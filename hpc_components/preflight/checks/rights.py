from collections.abc import Iterator, Mapping

from hpc_components.preflight.account import Account, AccountPart, Action
from hpc_components.preflight.asked import Asked
from hpc_components.preflight.checks import Check, Found
from hpc_components.spec.account_rules import AccountFault
from hpc_components.spec.findings import Level, Problem


def right_checks(asked: Asked, account: Account, part: AccountPart) -> Iterator[Check]:
    services, actions = part.services(asked), list(part.actions(asked))
    if services:
        yield Check(
            asks="services",
            keys=(),
            permissions=tuple(part.permissions["disabled"]),
            ask=lambda: _services(account, part, services),
        )
    if actions:
        yield Check(
            asks="permissions of the caller",
            keys=tuple(dict.fromkeys(each.key for each in actions if asked.path_of(each.key))),
            permissions=tuple(part.permissions["refused"]),
            ask=lambda: _rights(asked, account, actions),
        )


def _services(account: Account, part: AccountPart, services: Mapping[str, str]) -> Iterator[Found]:
    for name in sorted(account.disabled(services)):
        yield (
            AccountFault.SERVICE,
            Problem(
                path=(),
                value=name,
                reason=f"{name} is not enabled for {account.who}, and {services[name]} needs it",
                remedy=f"run `{part.enable_command(name)}`, or have an administrator do so",
                about={"service": name},
            ),
        )


def _rights(asked: Asked, account: Account, actions: list[Action]) -> Iterator[Found]:
    """Yield one problem for each key, with all refused actions of its resources."""
    refused = account.refused(list(dict.fromkeys(each.name for each in actions)))
    by_key: dict[str, list[Action]] = {}
    for each in actions:
        if each.name in refused:
            by_key.setdefault(each.key if asked.path_of(each.key) else "", []).append(each)
    for key, some in by_key.items():
        names = sorted({each.name for each in some})
        certain = any(refused[name] for name in names)
        may_not = "may not perform" if certain else "may not perform, on all resources and without conditions,"
        yield (
            AccountFault.RIGHTS,
            Problem(
                path=asked.path_of(key),
                value=None,
                reason=f"{account.who} {may_not} {', '.join(names)}, which creating "
                f"{', '.join(sorted({each.type for each in some}))} needs",
                remedy="have an administrator permit this, or use other credentials",
                level=None if certain else Level.WARNING,
                about={"actions": " ".join(names)},
            ),
        )
