from collections.abc import Iterator

from hpc_components.preflight.account import Account, AccountPart
from hpc_components.preflight.asked import Asked
from hpc_components.preflight.checks import Check, Found
from hpc_components.spec.account_rules import AccountFault
from hpc_components.spec.findings import Path, Problem


def place_checks(asked: Asked, account: Account, part: AccountPart) -> Iterator[Check]:
    yield Check(
        asks="account",
        keys=(),
        permissions=tuple(part.permissions["problem"]),
        ask=lambda: _account(account),
    )
    yield Check(
        asks="region and zones",
        keys=("region", "zone"),
        permissions=tuple(part.permissions["closed"]),
        ask=lambda: _places(asked, account),
    )


def _account(account: Account) -> Iterator[Found]:
    if problem := account.problem():
        yield (
            AccountFault.ACCOUNT,
            Problem(
                path=(),
                reason=f"{account.who}: {problem}",
                remedy="activate it, or use the credentials of another account",
            ),
        )


def _places(asked: Asked, account: Account) -> Iterator[Found]:
    cluster = asked.cluster
    places: list[tuple[Path, str]] = [(("region",), cluster.region), *cluster.mentioned_zones()]
    closed = account.closed(cluster.region, [zone for _, zone in places[1:]])
    told: set[str] = set()
    for path, place in places:
        if place not in closed or place in told or (cluster.region in told):
            continue
        told.add(place)
        yield (
            AccountFault.PLACE,
            Problem(
                path=path,
                value=place,
                reason=f"{account.who} can't use {place}: {closed[place]}",
                remedy="enable it for the account, or use another one",
            ),
        )
