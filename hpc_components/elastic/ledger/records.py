import json
import re
from dataclasses import Field, asdict, dataclass, fields
from decimal import Decimal
from typing import Any, Union

from hpc_components.elastic.money import NANO_PER_USD

RANKS = {"rebuilt": 0, "list": 1, "daemon": 2, "cloud": 3}
"""How far a time can be trusted, by its origin: estimated, missing from the cloud's list then, our own request, or
the cloud's own time."""
AMOUNT = re.compile(r"\d+(\.\d{1,9})?")
"""An amount in USD that is exact in nano-dollars."""
_LATEST = 1e10
"""Every time is before this one, in seconds since the epoch."""


@dataclass(frozen=True, kw_only=True)
class Started:
    """A machine whose billing began. All times are seconds since the epoch."""

    id: str
    node: str
    queue: str
    machine: str
    zone: str
    purchase: str
    started: float
    started_by: str
    """`cloud`, `daemon` or `rebuilt`."""
    corrected: int = 0
    """How often the time was corrected because the head node's clock was set."""


@dataclass(frozen=True, kw_only=True)
class Registered:
    """The machine's node registered with Slurm for the first time."""

    id: str
    at: float
    corrected: int = 0


@dataclass(frozen=True, kw_only=True)
class Ended:
    id: str
    ended: float
    """May be before the start of the machine, as long as the head node's clock is wrong."""
    ended_by: str
    """`cloud`, `daemon`, `list` or `rebuilt`."""
    why: str
    """`idle`, `reclaimed`, `failed`, `replaced` or `other`."""
    corrected: int = 0


@dataclass(frozen=True, kw_only=True)
class Seen:
    """The cloud listed the machine as running at `at`. Earlier records of its end are void, unless the time came from
    the cloud."""

    id: str
    at: float


@dataclass(frozen=True, kw_only=True)
class PriceSet:
    """From `since` on, an hour of such a machine costs `usd_per_hour`, which is None if unknown."""

    since: float
    queue: str
    machine: str
    zone: str
    purchase: str
    usd_per_hour: str | None
    basis: str
    """`list`, `contract`, or `spot` if the cloud reported the price."""
    source: str
    as_of: str


@dataclass(frozen=True, kw_only=True)
class ServiceSet:
    """From `since` on, something that always exists costs `usd_per_hour`; 0 when it was removed."""

    since: float
    what: str
    group: str
    usd_per_hour: str | None
    basis: str
    source: str
    as_of: str


@dataclass(frozen=True, kw_only=True)
class ClockSet:
    at: float
    step: float
    """Seconds by which the head node's clock was set forward; 0 in the first record after a boot."""
    boot: str
    epoch: float
    """Start of the boot on the scale on which times are recorded from now on."""


@dataclass(frozen=True, kw_only=True)
class Gap:
    """Nothing was recorded in this time, so machines may have been missed."""

    since: float
    until: float
    why: str


Record = Union[Started, Registered, Ended, Seen, PriceSet, ServiceSet, ClockSet, Gap]  # noqa: UP007  Python 3.10

_KINDS: dict[str, type[Any]] = {
    "machine": Started,
    "registered": Registered,
    "ended": Ended,
    "seen": Seen,
    "price": PriceSet,
    "service": ServiceSet,
    "clock": ClockSet,
    "gap": Gap,
}
_KIND_OF = {kind: name for name, kind in _KINDS.items()}


def line_of(record: Record) -> str:
    """Return the record as a line of JSON. Times have at most three decimals."""
    values = {key: round(value, 3) if type(value) is float else value for key, value in asdict(record).items()}
    if not values.get("corrected"):
        values.pop("corrected", None)
    return json.dumps({"kind": _KIND_OF[type(record)], **values}, separators=(",", ":")) + "\n"


def record_of(line: str) -> Record | None:
    """Parse a line. Return None for a kind that this version doesn't know. Raise ValueError if it is malformed."""
    raw = json.loads(line)
    if not isinstance(raw, dict) or "kind" not in raw:
        raise ValueError("not a record")
    kind = _KINDS.get(str(raw.pop("kind")))
    if kind is None:
        return None
    values = {each.name: _checked(each, raw[each.name]) for each in fields(kind) if each.name in raw}
    try:
        return kind(**values)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _checked(field: "Field[Any]", value: Any) -> Any:
    """Return a value that the daemon can compute with. A wrong one must not keep the daemon from starting."""
    if field.type is float:
        is_right = type(value) in (int, float) and abs(value) < _LATEST
    elif field.name == "usd_per_hour":
        is_right = value is None or (isinstance(value, str) and AMOUNT.fullmatch(value))
    elif field.name in ("started_by", "ended_by"):
        is_right = isinstance(value, str) and value in RANKS
    else:
        is_right = type(value) is field.type
    if not is_right:
        raise ValueError(f"{field.name}: {value!r} is not valid")
    return value


def nano_of(usd: str | None) -> int | None:
    """Convert a decimal string in dollars to nano-dollars."""
    return None if usd is None else int(Decimal(usd) * NANO_PER_USD)
