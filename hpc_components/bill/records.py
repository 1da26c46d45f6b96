"""The records of a ledger, as the daemon on the head node writes them, one JSON object a line.

Times are in milliseconds since the epoch, prices in nano-dollars per hour.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hpc_components.bill.amounts import nano_usd


class LedgerError(ValueError):
    """Raised for a file that is not what it should be. The message names the file and the line."""


@dataclass(frozen=True)
class Machine:
    """A machine whose billing began."""

    id: str
    node: str
    queue: str
    machine: str
    zone: str
    purchase: str
    started: int
    started_by: str
    corrected: int = 0
    """How often the record was written again with a better time, because the clock was set right."""


@dataclass(frozen=True)
class Registered:
    """The first registration of a machine's node with Slurm."""

    id: str
    at: int
    corrected: int = 0


@dataclass(frozen=True)
class Ended:
    """The end of a machine's billing."""

    id: str
    ended: int
    ended_by: str
    why: str
    corrected: int = 0


@dataclass(frozen=True)
class Seen:
    """A machine that ran at `at`, so earlier ends that the cloud did not tell itself are void."""

    id: str
    at: int


@dataclass(frozen=True)
class Price:
    """The price of such machines from `since` on. An empty `queue` or `zone` means all of them."""

    since: int
    queue: str
    machine: str
    zone: str
    purchase: str
    usd_per_hour: int | None
    """None if it is unknown from then on."""
    basis: str
    source: str
    as_of: str


@dataclass(frozen=True)
class Service:
    """The price of something that is always there, such as the head node, from `since` on."""

    since: int
    what: str
    group: str
    usd_per_hour: int | None
    basis: str
    source: str
    as_of: str


@dataclass(frozen=True)
class Clock:
    """A moment at which the head node's clock was set forward by `step` milliseconds."""

    at: int
    step: int


@dataclass(frozen=True)
class Gap:
    """A period in which nothing was recorded."""

    since: int
    until: int
    why: str


@dataclass
class Ledger:
    machines: list[Machine] = field(default_factory=list)
    registered: list[Registered] = field(default_factory=list)
    ended: list[Ended] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    prices: list[Price] = field(default_factory=list)
    services: list[Service] = field(default_factory=list)
    clocks: list[Clock] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    unknown: set[str] = field(default_factory=set)
    """Kinds of records that a newer release writes."""


def read_ledger(lines: Iterable[str], file: str, *, torn_end: bool = False) -> Ledger:
    """Read the lines of a ledger. Raise LedgerError for a line that is not a record.

    With `torn_end`, a last line without its line feed is ignored: the daemon was killed while writing it.
    """
    ledger = Ledger()
    for number, line in enumerate(lines, 1):
        if torn_end and not line.endswith("\n"):
            break
        if line.strip():
            try:
                _add(ledger, _object(line))
            except (ValueError, RecursionError) as error:
                raise LedgerError(f"{file}:{number}: {error or 'this is not a record of a ledger'}") from None
    return ledger


def milliseconds(value: Any) -> int:
    """Convert seconds since the epoch. Raise ValueError if `value` is not a time between 1970 and 2286."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 10**10:
        raise ValueError(f"{value!r} is not a time in seconds since the epoch")
    return round(value * 1000)


def _object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"this is not valid JSON ({error.msg})") from None
    if not isinstance(value, dict):
        raise ValueError("this is not a JSON object")
    return value


def _add(ledger: Ledger, record: Mapping[str, Any]) -> None:
    kind = record.get("kind")
    if not isinstance(kind, str):
        raise ValueError(f"a record needs a text as 'kind', not {kind!r}")
    if kind in _READERS:
        _READERS[kind](ledger, _Fields(kind, record))
    else:
        ledger.unknown.add(kind)


@dataclass(frozen=True)
class _Fields:
    kind: str
    record: Mapping[str, Any]

    def text(self, key: str, default: str | None = None) -> str:
        value = self.record.get(key, default)
        if not isinstance(value, str):
            raise ValueError(f"the record {self.kind!r} needs a text as {key!r}, not {value!r}")
        return value

    def time(self, key: str) -> int:
        try:
            return milliseconds(self.record.get(key))
        except ValueError as error:
            raise ValueError(f"{key} of the record {self.kind!r}: {error}") from None

    def duration(self, key: str) -> int:
        value = self.record.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 10**10:
            raise ValueError(f"the record {self.kind!r} needs seconds as {key!r}, not {value!r}")
        return round(value * 1000)

    def corrected(self) -> int:
        value = self.record.get("corrected", 0)
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"the record {self.kind!r} needs a number as 'corrected', not {value!r}")
        return value

    def price(self) -> int | None:
        value = self.record.get("usd_per_hour")
        return None if value is None else nano_usd(self.text("usd_per_hour"))

    def source(self) -> dict[str, str]:
        return {key: self.text(key, "") for key in ("basis", "source", "as_of")}


def _machine(ledger: Ledger, its: _Fields) -> None:
    texts = {key: its.text(key) for key in ("id", "node", "queue", "machine", "zone", "purchase", "started_by")}
    ledger.machines.append(Machine(started=its.time("started"), corrected=its.corrected(), **texts))


def _registered(ledger: Ledger, its: _Fields) -> None:
    ledger.registered.append(Registered(its.text("id"), its.time("at"), its.corrected()))


def _ended(ledger: Ledger, its: _Fields) -> None:
    why = its.text("why", "other")
    ledger.ended.append(Ended(its.text("id"), its.time("ended"), its.text("ended_by"), why, its.corrected()))


def _seen(ledger: Ledger, its: _Fields) -> None:
    ledger.seen.append(Seen(its.text("id"), its.time("at")))


def _price(ledger: Ledger, its: _Fields) -> None:
    texts = {"queue": its.text("queue", ""), "zone": its.text("zone", ""), "machine": its.text("machine")}
    ledger.prices.append(
        Price(
            since=its.time("since"), purchase=its.text("purchase"), usd_per_hour=its.price(), **texts, **its.source()
        )
    )


def _service(ledger: Ledger, its: _Fields) -> None:
    texts = {"what": its.text("what"), "group": its.text("group", "other")}
    ledger.services.append(Service(since=its.time("since"), usd_per_hour=its.price(), **texts, **its.source()))


def _clock(ledger: Ledger, its: _Fields) -> None:
    ledger.clocks.append(Clock(its.time("at"), its.duration("step")))


def _gap(ledger: Ledger, its: _Fields) -> None:
    ledger.gaps.append(Gap(its.time("since"), its.time("until"), its.text("why", "")))


_READERS: dict[str, Callable[[Ledger, _Fields], None]] = {
    "machine": _machine,
    "registered": _registered,
    "ended": _ended,
    "seen": _seen,
    "price": _price,
    "service": _service,
    "clock": _clock,
    "gap": _gap,
}
