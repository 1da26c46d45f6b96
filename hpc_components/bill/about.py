"""What a bill needs to know about a cluster besides its ledger and its jobs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hpc_components.bill.division import Capacity
from hpc_components.bill.records import LedgerError, milliseconds


@dataclass(frozen=True)
class Account:
    name: str
    parent: str
    """Empty for an account at the top."""
    organization: str | None


@dataclass(frozen=True)
class About:
    cluster: str
    cloud: str = ""
    region: str = ""
    since: int = 0
    """First moment that the records cover, in milliseconds since the epoch."""
    until: int = 0
    """Moment at which the records end."""
    exported: int = 0
    """Moment at which the export was made."""
    minimum_ms: int = 0
    """Least time of a machine that the cloud bills."""
    accounts: Sequence[Account] = ()
    nodes: Mapping[str, Capacity] = field(default_factory=dict)
    """What a node has for jobs, by queue."""

    def organizations(self) -> dict[str, str | None]:
        """Return the organization of each account: its own or that of its nearest parent."""
        by_name = {account.name: account for account in self.accounts}
        return {name: _organization(name, by_name) for name in by_name}

    def tops(self) -> dict[str, str]:
        """Return the account at the top above each account."""
        by_name = {account.name: account for account in self.accounts}
        return {name: _line(name, by_name)[-1].name for name in by_name}


def _organization(name: str, by_name: Mapping[str, Account]) -> str | None:
    return next((each.organization for each in _line(name, by_name) if each.organization), None)


def _line(name: str, by_name: Mapping[str, Account]) -> list[Account]:
    """Return an account and its parents, the nearest first."""
    line: list[Account] = []
    while name in by_name and by_name[name] not in line:
        line.append(by_name[name])
        name = by_name[name].parent
    return line


def read_about(value: Any, file: str) -> About:
    """Read the parsed `about.json` of an export. Raise LedgerError if a key is missing or wrong."""
    try:
        if not isinstance(value, dict):
            raise ValueError("this is not a JSON object")
        if value.get("currency", "USD") != "USD":
            raise ValueError(f"the currency is {value['currency']!r}; only USD is known")
        until, exported = (milliseconds(value.get(key, value.get("until"))) for key in ("until", "exported"))
        return About(
            cluster=_text(value, "cluster"),
            cloud=_text(value, "cloud"),
            region=_text(value, "region"),
            since=milliseconds(value.get("since")),
            until=min(until, exported),
            exported=exported,
            minimum_ms=milliseconds(value.get("minimum_seconds", 0)),
            accounts=tuple(its for its in map(_account, value.get("accounts", ())) if its.name != "root"),
            nodes={str(queue): _capacity(its) for queue, its in dict(value.get("nodes", {})).items()},
        )
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise LedgerError(f"{file}: this is not the description of an export ({error})") from None


def _text(value: Mapping[str, Any], key: str) -> str:
    if not isinstance(value.get(key), str):
        raise ValueError(f"{key!r} is missing or not a text")
    return value[key]


def _account(value: Any) -> Account:
    name, parent, organization = value
    if not isinstance(name, str) or not isinstance(parent or "", str) or not isinstance(organization or "", str):
        raise ValueError(f"{value!r} is not [account, parent, organization]")
    return Account(name, "" if parent == "root" else parent or "", organization or None)


def _capacity(value: Mapping[str, Any]) -> Capacity:
    return Capacity(int(value["cpus"]), int(value["memory_mib"]), int(value.get("gpus", 0)))
