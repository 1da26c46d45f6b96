"""Reads and writes what an account answered about machine types: facts that take precedence over the catalogue.

`hpc preflight --keep` writes `hpc-facts/<cloud>.json` next to `Pulumi.yaml`: `facts: 1`, and `machines`, with one
record per line for each machine type and region. Commit the file with the stack files so that all users and programs
apply the rules to the same facts. It names neither the account nor the caller. A fact that is older than `days` in
`data/account_facts.json` is not used: the catalogue's own fact applies again.
"""

import json
import os
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from hpc_components.catalog._load import records
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.project_folder import own_file, own_root, replace_text
from hpc_components.errors import HpcError
from hpc_components.strict_json import InvalidJsonError, parse_json
from hpc_components.user_files import read_user_text

_FOLDER = "hpc-facts"
_VERSION = 1
_REMEDY = "restore the file, or delete it and run `hpc preflight STACK --keep`"
_unused: ContextVar[bool] = ContextVar("unused", default=False)


class UnreadableFactsError(HpcError, ValueError):
    """Raised if a file of facts can't be read. The message states where the error is and how to fix it."""


class UnwritableFactsError(HpcError):
    """Raised if a file of facts can't be written. The message names the file and the reason."""


@dataclass(frozen=True, kw_only=True)
class MachineFact:
    """What an account answered about a machine type in a region."""

    machine: str
    region: str
    zones: tuple[str, ...]
    """Zones in which the account can have the machine type, named as in descriptions. A region that sells the type
    outside its zones is one of them. Empty if the account can't have it in the region."""
    source: str
    """API that was asked."""
    as_of: str
    """Date of the answer, e.g. `2026-11-29`."""

    @property
    def is_current(self) -> bool:
        """Whether the fact is recent enough to be used. One from the future is not."""
        return 0 <= (datetime.now(UTC).date() - date.fromisoformat(self.as_of)).days <= days_kept()


@cache
def days_kept() -> int:
    """Return for how many days a fact is used."""
    (record,) = records("account_facts", __file__)
    return record["days"]


@contextmanager
def without_own_facts() -> Generator[None]:
    """Within the context, use the catalogue alone, e.g. to ask again about something that an answer contradicts."""
    token = _unused.set(True)
    try:
        yield
    finally:
        _unused.reset(token)


def fact_file(root: Path, cloud: str) -> Path:
    return Path(own_file(root, _FOLDER, cloud))


def with_own_facts(machines: Iterable[Machine]) -> Iterable[Machine]:
    """Yield the machine types of one cloud, with the project's own facts if it has any."""
    known: Mapping[str, Sequence[MachineFact]] | None = None
    for machine in machines:
        if known is None:
            known = _own_facts(machine.cloud)
        current = tuple(fact for fact in known.get(machine.name, ()) if fact.is_current)
        yield _changed(machine, current) if current else machine


def outdated_fact(machine: Machine, region: str) -> MachineFact | None:
    """Return the project's own fact about a machine type in a region if it is too old to be used, else None."""
    found = (fact for fact in _own_facts(machine.cloud).get(machine.name, ()) if fact.region == region)
    return next((fact for fact in found if not fact.is_current), None)


@cache
def _changed(machine: Machine, facts: tuple[MachineFact, ...]) -> Machine:
    """Return the machine type with these facts. Equal arguments yield the same object."""
    offered = dict(machine.offered)
    for fact in facts:
        offered.pop(fact.region, None)
        if fact.zones:
            offered[fact.region] = " ".join(fact.zones)
    words = {
        fact.region: f"as the account answered on {fact.as_of} ({_FOLDER}/{machine.cloud}.json)" for fact in facts
    }
    return replace(machine, offered=offered, own_facts=words)


def read_facts(file: Path) -> list[MachineFact]:
    """Return the facts of a file. The list is empty if the file doesn't exist."""
    try:
        document = parse_json(read_user_text(file))
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError, InvalidJsonError) as error:
        why = "the file is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
        why = str(error.strerror) if isinstance(error, OSError) else why
        raise UnreadableFactsError(f"{file} can't be read: {why}; {_REMEDY}") from None
    if not isinstance(document, dict) or document.keys() != {"facts", "machines"}:
        raise UnreadableFactsError(f"{file} must have the keys facts and machines, and no others; {_REMEDY}")
    if document["facts"] != _VERSION:
        raise UnreadableFactsError(
            f"{file} has version {document['facts']!r} of the format, but this release of hpc reads version "
            f"{_VERSION}; install the release that wrote it, or {_REMEDY}"
        )
    if not isinstance(document["machines"], list):
        raise UnreadableFactsError(f"{file}: machines is not a list; {_REMEDY}")
    found: dict[tuple[str, str], MachineFact] = {}
    for number, record in enumerate(document["machines"]):
        if mistake := _mistake(record):
            raise UnreadableFactsError(f"{file}: machines[{number}] {mistake}; {_REMEDY}")
        fact = MachineFact(**record | {"zones": tuple(record["zones"])})
        if _key(fact) in found:
            raise UnreadableFactsError(
                f"{file}: machines[{number}] is a second record of {fact.machine} in {fact.region}; {_REMEDY}"
            )
        found[_key(fact)] = fact
    return list(found.values())


def keep_facts(file: Path, facts: Iterable[MachineFact]) -> int:
    """Write facts into a file, and return how many of them are new or changed. Facts about other machine types and
    regions stay.
    """
    before = {_key(fact): fact for fact in read_facts(file)}
    fresh = {_key(fact): fact for fact in facts}
    lines = ",\n".join(_line(fact) for _, fact in sorted((before | fresh).items()))
    try:
        replace_text(file, f'{{"facts": {_VERSION}, "machines": [\n{lines}\n]}}\n')
    except OSError as error:
        raise UnwritableFactsError(f"can't write {file}: {error.strerror}") from None
    return sum(
        key not in before or before[key] != replace(fact, as_of=before[key].as_of) for key, fact in fresh.items()
    )


def _key(fact: MachineFact) -> tuple[str, str]:
    return fact.region, fact.machine


def _line(fact: MachineFact) -> str:
    return json.dumps({field.name: getattr(fact, field.name) for field in fields(fact)}, ensure_ascii=False)


def _mistake(record: Any) -> str | None:
    """Return what is wrong with a record, or None."""
    if not isinstance(record, dict):
        return "is not a mapping"
    known = {field.name for field in fields(MachineFact)}
    if unknown := sorted(record.keys() - known):
        return f"has the unknown key {unknown[0]!r}"
    if missing := sorted(known - record.keys()):
        return f"lacks the key {missing[0]!r}"
    for name in ("machine", "region", "source", "as_of"):
        if not isinstance(record[name], str) or not record[name]:
            return f"has no text under {name}"
    zones = record["zones"]
    if not isinstance(zones, list) or not all(isinstance(zone, str) and zone.split() == [zone] for zone in zones):
        return "has no list of zones under zones"
    try:
        date.fromisoformat(record["as_of"])
    except ValueError:
        return f"has no date like 2026-11-29 under as_of, but {record['as_of']!r}"
    return None


def _own_facts(cloud: str) -> Mapping[str, Sequence[MachineFact]]:
    """Return the project's own facts about a cloud's machine types, keyed by machine type."""
    root = None if _unused.get() else own_root()
    if root is None:
        return {}
    path = own_file(root, _FOLDER, cloud)
    try:
        return _read_once(path, os.stat(path).st_mtime_ns)
    except (FileNotFoundError, NotADirectoryError):
        return {}


@lru_cache(maxsize=16)
def _read_once(path: str, changed: int) -> dict[str, list[MachineFact]]:
    found: dict[str, list[MachineFact]] = {}
    for fact in read_facts(Path(path)):
        found.setdefault(fact.machine, []).append(fact)
    return found
