from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.cloud import cloud_named
from hpc_components.preflight.account import Account, AccountPart, NotAnsweredError, QuotaSeen
from hpc_components.preflight.asked import Asked
from hpc_components.preflight.checks import Check, Found
from hpc_components.spec.account_rules import AccountFault
from hpc_components.spec.findings import Level, Problem


def quota_checks(asked: Asked, account: Account, part: AccountPart) -> Iterator[Check]:
    """Yield a check for each service, because a caller may be allowed to read the quotas of some services only."""
    for service in dict.fromkeys(need["service"] for need in asked.quotas):
        needs = [need for need in asked.quotas if need["service"] == service]
        yield Check(
            asks=f"quotas of {service}",
            keys=tuple(dict.fromkeys(str(path[0]) for need in needs if (path := _place(asked, need)))),
            permissions=tuple(part.permissions["quota"]),
            ask=lambda needs=needs: _quotas(asked, account, needs),
        )


def _place(asked: Asked, need: Mapping[str, Any]) -> tuple[str | int, ...]:
    return asked.place_of(need["for"][0]["what"])


def _quotas(asked: Asked, account: Account, needs: list[Mapping[str, Any]]) -> Iterator[Found]:
    unlisted = []
    for need in needs:
        seen = account.quota(need)
        if seen is None:
            if need["ask"]:  # else the documented default is enough
                unlisted.append(need["name"])
        elif need["need"] > seen.limit - (seen.used or 0):
            yield AccountFault.QUOTA, _short(asked, account, need, seen)
    if unlisted:
        raise NotAnsweredError(f"no limit could be read for: {'; '.join(unlisted)}")


def _number(value: float) -> str:
    return f"{value:,.12g}"


def _short(asked: Asked, account: Account, need: Mapping[str, Any], seen: QuotaSeen) -> Problem:
    code = f"{need['code']} ({need['name']})" if need["code"] else need["name"]
    where = f" in {need['region']}" if need["region"] else ""
    parts = ", ".join(f"{each['what']}: {_number(each['need'])}" for each in need["for"][:3])
    used = f" ({_number(seen.used)} in use)" if seen.used else ""
    where_to_ask = cloud_named(asked.cluster.cloud).words.quotas
    enough = need["need"] <= seen.limit
    lowest = need["need"] + (seen.used or 0)
    return Problem(
        path=_place(asked, need),
        value=need["need"],
        reason=f"the full cluster needs {_number(need['need'])} of {code} ({parts}), and the limit of {account.who}"
        f"{where} is {_number(seen.limit)}{used}"
        + ("; this is enough only if the usage is this cluster's own" if enough else ""),
        remedy=f"request at least {_number(lowest)} in {where_to_ask}, or make it smaller",
        level=Level.WARNING if enough else None,
        about={"quota": need["code"] or need["name"], "region": need["region"] or ""},
    )
