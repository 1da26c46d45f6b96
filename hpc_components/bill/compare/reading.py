"""Reads a cost export: CSV or JSON lines, as they are or packed with gzip."""

import csv
import gzip
import io
import json
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from hpc_components.bill.compare.formats import CostExport, plain
from hpc_components.bill.records import LedgerError

TAG = "ClusterName"
"""Every resource of a cluster has this tag. Some clouds write it in small letters."""

_TOO_MUCH = 10**12
"""Dollars that no row of a cost export has."""

_US_DAY = re.compile(r"(\d\d)/(\d\d)/(\d{4})")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass
class CloudCosts:
    """What a cloud charged for a cluster, in USD, by group and day."""

    title: str
    costs: dict[tuple[str, str], Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    list_costs: dict[tuple[str, str], Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    """At list price, as far as the export says so, else as charged."""
    others: dict[str, Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    """Costs by group of rows without the cluster's tag."""
    rows: int = 0
    other_rows: int = 0


def read_costs(content: bytes, file: str, formats: Sequence[CostExport], cluster: str) -> CloudCosts:
    """Read the costs of a cluster. Raise LedgerError if the file is not a cost export, or names another currency."""
    if content[:4] == b"PAR1":
        raise LedgerError(
            f"{file} is a Parquet file, which can't be read; choose CSV with gzip in the settings of the export, or"
            f" convert it: duckdb -c \"COPY (FROM '{file}') TO 'costs.csv' (HEADER)\""
        )
    raw: io.BufferedIOBase = io.BytesIO(content)
    if content[:2] == b"\x1f\x8b":
        raw = gzip.GzipFile(fileobj=raw)
    try:
        with io.TextIOWrapper(raw, encoding="utf-8-sig", newline="") as text:
            return _sums(_rows(text), file, formats, cluster)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise LedgerError(f"{file} can't be read as CSV or JSON lines: {error}") from None


def _rows(text: io.TextIOWrapper) -> Iterator[Mapping[str, Any]]:
    """Yield rows by column, in `plain` writing. Objects in JSON become columns such as `servicedescription`."""
    first = text.readline()
    lines = (line for part in ([first], text) for line in part)
    if first.lstrip().startswith("{"):
        for line in lines:
            if line.strip():
                value = json.loads(line)
                if not isinstance(value, dict):
                    raise ValueError("a line is not a JSON object")
                yield _flat(value)
        return
    reader = csv.reader(lines)
    names = [plain(name) for name in next(reader, [])]
    for row in reader:
        if row:
            yield dict(zip(names, row, strict=False))


def _flat(value: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, its in value.items():
        if isinstance(its, Mapping):
            found |= _flat(its, before + plain(key))
        else:
            found[before + plain(key)] = its
    return found


def _sums(rows: Iterator[Mapping[str, Any]], file: str, formats: Sequence[CostExport], cluster: str) -> CloudCosts:
    known: CostExport | None = None
    costs = CloudCosts("")
    try:
        for number, row in enumerate(rows, 2):
            if known is None:
                known = _format_of(row, file, formats)
                costs.title = known.title
            try:
                _add(costs, known, row, cluster)
            except (ValueError, InvalidOperation, TypeError, RecursionError) as error:
                raise LedgerError(f"{file}: row {number}: {error}") from None
    except (LedgerError, UnicodeDecodeError):
        raise
    except (ValueError, RecursionError) as error:
        raise LedgerError(f"{file} is not JSON lines ({error})") from None
    if known is None:
        raise LedgerError(f"{file} has no rows")
    return costs


def _format_of(row: Mapping[str, Any], file: str, formats: Sequence[CostExport]) -> CostExport:
    for each in formats:
        if each.fits(row):
            return each
    raise LedgerError(f"{file} is not a cost export that is known: {', '.join(each.title for each in formats)}")


def _add(costs: CloudCosts, known: CostExport, row: Mapping[str, Any], cluster: str) -> None:
    currency = _text(row, known.currency)
    if currency not in ("", "USD"):
        raise ValueError(f"the currency is {currency!r}; only USD is compared")
    service = _text(row, known.service)
    items = " ".join(_text(row, (name,)) for name in known.item)
    words = f"{service}|{items}|{_text(row, known.kind)}"
    group = known.group_of(words)
    cost = _amount(row, known.cost) + _credits(row, known)
    if not _is_of(row, known, cluster):
        costs.other_rows += 1
        costs.others[group] += cost
        return
    costs.rows += 1
    key = group, _day(_text(row, known.day))
    costs.costs[key] += cost
    listed = _text(row, known.list_cost) and not (known.dynamic and re.search(known.dynamic, words, re.I))
    costs.list_costs[key] += _amount(row, known.list_cost) if listed else cost


def _text(row: Mapping[str, Any], names: Iterable[str]) -> str:
    value = next((row[plain(name)] for name in names if plain(name) in row), None)
    return "" if value is None else str(value)


def _amount(row: Mapping[str, Any], names: Iterable[str]) -> Decimal:
    return _usd(_text(row, names))


def _usd(text: str) -> Decimal:
    try:
        value = Decimal(text or 0)
    except InvalidOperation:
        raise ValueError(f"{text!r} is not an amount") from None
    if not value.is_finite() or abs(value) >= _TOO_MUCH:
        raise ValueError(f"{text!r} is not an amount")
    return value


def _credits(row: Mapping[str, Any], known: CostExport) -> Decimal:
    value = next((row[plain(name)] for name in known.credits if plain(name) in row), None) or []
    if isinstance(value, str):
        value = json.loads(value)
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        raise ValueError("the credits are not a list of objects")
    return sum((_usd(str(each.get("amount") or 0)) for each in value), Decimal(0))


def _day(text: str) -> str:
    if match := _US_DAY.match(text):
        month, day, year = match.groups()
        return f"{year}-{month}-{day}"
    if match := _DAY.match(text):
        return match[0]
    raise ValueError(f"{text!r} is not a day")


def _is_of(row: Mapping[str, Any], known: CostExport, cluster: str) -> bool:
    wanted = plain(TAG)
    for name in known.tag_columns:
        if str(row.get(plain(name) + wanted) or "").lower() == cluster.lower():
            return True
    value = next((row[plain(name)] for name in known.tags if plain(name) in row), None)
    return any(
        plain(key).removeprefix("user") == wanted and str(its).lower() == cluster.lower() for key, its in _tags(value)
    )


def _tags(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield tags of a JSON object, of its content without braces, or of a list of objects with key and value."""
    if isinstance(value, str):
        text = value.strip()
        value = json.loads(text if text.startswith(("{", "[")) else f"{{{text}}}") if text else None
    if isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, list):
        for each in value:
            if isinstance(each, Mapping):
                yield str(each.get("key", "")), each.get("value", "")
