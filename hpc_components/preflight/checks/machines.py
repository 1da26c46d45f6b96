from collections.abc import Iterator
from datetime import UTC, datetime

from hpc_components.catalog.account_facts import MachineFact
from hpc_components.preflight.account import Account, AccountPart
from hpc_components.preflight.asked import Asked
from hpc_components.preflight.checks import Answer, Check
from hpc_components.spec.account_rules import AccountFault
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rules._fleet import Use, uses


def machine_checks(asked: Asked, account: Account, part: AccountPart) -> Iterator[Check]:
    yield Check(
        asks="machine types",
        keys=("head_node", "login_nodes", "queues"),
        permissions=tuple(part.permissions["offers"]),
        ask=lambda: _machines(asked, account, part.sources["offers"]),
    )


def _machines(asked: Asked, account: Account, source: str) -> Iterator[Answer]:
    offers = {name: account.offers(name) for name in dict.fromkeys(use.name for use in uses(asked.cluster))}
    today = datetime.now(UTC).date().isoformat()
    for name, found in offers.items():
        zones = tuple(sorted(zone for zone, why in found.items() if not why))
        yield MachineFact(machine=name, region=asked.cluster.region, zones=zones, source=source, as_of=today)
    for use in uses(asked.cluster):
        found = offers[use.name]
        lacking = {zone: found.get(zone, "not sold there") for zone in use.zones if found.get(zone, "no")}
        if not lacking:
            continue
        is_essential = len(lacking) == len(use.zones) and use.path[-1] == "machine"
        yield (
            AccountFault.MACHINE,
            Problem(
                path=use.path,
                value=use.name,
                reason=f"{account.who} can't have {use.name} in "
                + ", ".join(f"{zone} ({why})" for zone, why in lacking.items()),
                remedy=_remedy(use, [zone for zone, why in found.items() if not why]),
                level=None if is_essential else Level.WARNING,
            ),
        )


def _remedy(use: Use, zones: list[str]) -> str:
    if not zones:
        return "use another machine type or another region, or ask the cloud's support for access"
    sold = f"this account can have it in {', '.join(sorted(zones))}"
    return f"use another machine type or zone; {sold}" if set(zones).isdisjoint(use.zones) else f"note that {sold}"
