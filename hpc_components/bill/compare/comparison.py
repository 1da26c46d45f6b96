"""Explains the difference between a ledger and the cloud's charges."""

import datetime
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from hpc_components.bill.about import About
from hpc_components.bill.amounts import UNITS_PER_USD
from hpc_components.bill.bill import service_charges
from hpc_components.bill.compare.formats import GROUPS, IN_LEDGER, MACHINES, NETWORK, OTHER, STORAGE
from hpc_components.bill.compare.reading import CloudCosts
from hpc_components.bill.lives import lives
from hpc_components.bill.rates import Rates
from hpc_components.bill.records import Ledger, Service

TOLERANCE = Decimal("0.05")
"""Part by which the cloud's charges may differ from the ledger on days that both have."""

_GROUP_OF_SERVICE = {"head": MACHINES, "login": MACHINES, "storage": STORAGE, "network": NETWORK}
_DAY_MS = 86_400_000


@dataclass(frozen=True)
class Comparison:
    """Costs in USD by group and day."""

    ledger: Mapping[tuple[str, str], Decimal]
    cloud: CloudCosts
    days: tuple[str, ...]
    missing: tuple[str, ...]
    """Days of the ledger that the export does not have."""
    at_contract_rates: frozenset[str]
    """Groups for which the ledger has rates of the own contract."""

    def of_ledger(self, group: str) -> Decimal:
        return sum((self.ledger.get((group, day), Decimal(0)) for day in self.common), Decimal(0))

    def of_cloud(self, group: str) -> Decimal:
        return sum((self.cloud.costs.get((group, day), Decimal(0)) for day in self.common), Decimal(0))

    def at_list_price(self, group: str) -> Decimal:
        """Return the cloud's charges at list price, where the export has it, else as charged."""
        return sum((self.cloud.list_costs.get((group, day), Decimal(0)) for day in self.common), Decimal(0))

    @property
    def common(self) -> tuple[str, ...]:
        return tuple(day for day in self.days if day not in self.missing)

    @property
    def agrees(self) -> bool:
        """Whether no group of the ledger differs by more than TOLERANCE, or a dollar."""
        return bool(self.common) and not any(True for _ in self.unexplained())

    def unexplained(self) -> Iterator[tuple[str, Decimal]]:
        """Yield groups whose difference exceeds the tolerance: at list price, or as charged where the ledger has
        rates of a contract."""
        for group in IN_LEDGER:
            ours = self.of_ledger(group)
            theirs = self.of_cloud(group) if group in self.at_contract_rates else self.at_list_price(group)
            if abs(theirs - ours) > max(Decimal(1), TOLERANCE * max(ours, theirs)):
                yield group, theirs - ours


def whole_days(about: About, since: int, until: int) -> tuple[int, int]:
    """Return the whole days (UTC) of a period that the records cover: the first moment and the end."""
    return -(-max(since, about.since) // _DAY_MS) * _DAY_MS, min(until, about.until) // _DAY_MS * _DAY_MS


def compare(ledger: Ledger, about: About, since: int, until: int, cloud: CloudCosts) -> Comparison:
    """Compare the costs of a period of whole days (UTC)."""
    ours = _by_day(ledger, about, since, until)
    days = tuple(_days(since, until))
    charged = {day for _, day in cloud.costs}
    missing = tuple(day for day in days if day not in charged and any((group, day) in ours for group in GROUPS))
    in_usd = {key: Decimal(units) / UNITS_PER_USD for key, units in ours.items()}
    return Comparison(in_usd, cloud, days, missing, frozenset(_at_contract_rates(ledger)))


def _at_contract_rates(ledger: Ledger) -> Iterator[str]:
    if any(price.basis == "contract" for price in ledger.prices):
        yield MACHINES
    yield from (_group(service) for service in ledger.services if service.basis == "contract")


def _group(service: Service) -> str:
    return _GROUP_OF_SERVICE.get(service.group, OTHER)


def _by_day(ledger: Ledger, about: About, since: int, until: int) -> dict[tuple[str, str], int]:
    """Return the ledger's costs in units, by group and day."""
    sums: dict[tuple[str, str], int] = defaultdict(int)
    rates = Rates(ledger.prices)
    for life in lives(ledger, [], about.until, about.minimum_ms):
        for segment in rates.over(life.machine, max(since, life.start), min(until, life.end)):
            for day, duration in _split(segment.since, segment.until):
                sums[MACHINES, day] += duration * segment.price
    for charge in service_charges(ledger.services, since, until):
        for day, duration in _split(charge.since, charge.until):
            sums[_group(charge.service), day] += duration * (charge.service.usd_per_hour or 0)
    return sums


def _split(since: int, until: int) -> Iterator[tuple[str, int]]:
    while since < until:
        end = min(until, (since // _DAY_MS + 1) * _DAY_MS)
        yield _name(since), end - since
        since = end


def _days(since: int, until: int) -> Iterator[str]:
    return (day for day, _ in _split(since, until))


def _name(milliseconds: int) -> str:
    time = datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.timezone.utc)  # noqa: UP017 (Python 3.10)
    return time.strftime("%Y-%m-%d")
