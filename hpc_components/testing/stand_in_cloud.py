"""Implements the cloud behind the stand-in provider, as a directory shared by plugin processes and tests.

Each record is a separate file that is written atomically, and each journal entry is appended in a single write, so no
locks are needed.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from hpc_components.testing._values import mentions


@dataclass(frozen=True, kw_only=True)
class Thing:
    """A resource that exists in the cloud."""

    id: str
    type: str
    """Pulumi type token, e.g. `aws:ec2/vpc:Vpc`."""
    urn: str | None
    """URN, or None for resources that were not created by Pulumi, such as elastic nodes."""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    """Inputs after the creation or last update, with secrets replaced by `<secret>`."""
    revision: int = 1
    """1 after creation, incremented by every update."""


@dataclass(frozen=True, kw_only=True)
class JournalEntry:
    """A change that the engine requested from the provider. Previews are not recorded."""

    method: str
    """Provider method: `Create`, `Update` or `Delete`."""
    urn: str
    type: str
    id: str
    """Id of the resource; empty if its creation failed."""
    inputs: Mapping[str, Any]
    """Inputs, with secrets replaced by `<secret>`."""
    error: str | None = None
    """Reason why the cloud refused the change, or None if the change succeeded."""


@dataclass(frozen=True)
class StandInCloud:
    """A stand-in cloud: existing resources, the journal of changes, and injected faults. Tests can read and change
    all of these while the engine is running.

    >>> cloud.fail_once("aws:ec2/instance:Instance", message="InsufficientInstanceCapacity")
    >>> [entry.urn for entry in cloud.journal() if entry.method == "Delete"]
    """

    root: Path

    def journal(self) -> list[JournalEntry]:
        """Return all changes so far, oldest first."""
        path = self.root / "journal.jsonl"
        if not path.exists():
            return []
        return [JournalEntry(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]

    def write_down(self, entry: JournalEntry) -> None:
        """Append an entry to the journal in a single write, so that other processes never see an incomplete entry."""
        self.root.mkdir(parents=True, exist_ok=True)
        line = json.dumps(asdict(entry), sort_keys=True) + "\n"
        handle = os.open(self.root / "journal.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)

    def things(self, *types: str) -> list[Thing]:
        """Return the existing resources of these types (default: all types)."""
        folders = [_folder(type_) for type_ in types] or ["*"]
        found = (
            _read(path) for folder in folders for path in sorted((self.root / "things").glob(f"{folder}/*.json"))
        )
        return [Thing(**record) for record in found if record is not None]

    def mentioning(self, id_: str, *types: str) -> list[Thing]:
        """Return the existing resources of these types whose inputs contain the id."""
        return [each for each in self.things(*types) if mentions(each.inputs, id_)] if types else []

    def find(self, type_: str, id_: str) -> Thing | None:
        """Return the resource with this type and id, or None if it doesn't exist."""
        record = _read(self._place(type_, id_))
        return Thing(**record) if record else None

    def put(self, thing: Thing) -> None:
        """Add `thing`, replacing any resource with the same type and id."""
        _write(self._place(thing.type, thing.id), asdict(thing))

    def remove(self, type_: str, id_: str) -> None:
        """Remove a resource if it exists."""
        self._place(type_, id_).unlink(missing_ok=True)

    def fail_once(
        self, type_: str, *, method: str = "Create", message: str = "the stand-in cloud refused the request"
    ) -> None:
        """Make the next `method` call for a resource of this type fail. Call `fail_once` twice to make the next two
        calls fail.
        """
        _write(self.root / "faults" / f"{uuid4().hex}.json", {"type": type_, "method": method, "message": message})

    def take_fault(self, type_: str, method: str) -> str | None:
        """Remove a fault that was injected for this call and return its message, or None if there isn't one."""
        for path in sorted((self.root / "faults").glob("*.json")):
            fault = _read(path)
            if fault and (fault["type"], fault["method"]) == (type_, method) and _claim(path):
                return fault["message"]
        return None

    def births(self, urn: str) -> int:
        """Return the number of resources created for this URN so far."""
        record = _read(self._birth_place(urn))
        return record["births"] if record else 0

    def count_birth(self, urn: str) -> None:
        """Increment the number of resources created for this URN. No lock is needed, because the engine never creates
        two resources with the same URN at the same time.
        """
        _write(self._birth_place(urn), {"births": self.births(urn) + 1})

    def _birth_place(self, urn: str) -> Path:
        return self.root / "births" / f"{_digest(urn)}.json"

    def _place(self, type_: str, id_: str) -> Path:
        # Hash the id, because ARNs and paths are not valid file names.
        return self.root / "things" / _folder(type_) / f"{_digest(id_)}.json"


def _folder(type_: str) -> str:
    return re.sub(r"\W+", "-", type_)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _write(path: Path, record: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{uuid4().hex}.draft")
    draft.write_text(json.dumps(record, sort_keys=True), encoding="utf-8")
    draft.replace(path)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:  # another process has removed the file
        return None


def _claim(path: Path) -> bool:
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True
