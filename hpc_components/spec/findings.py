"""Findings: what a rule reports about a place in a cluster's description."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from hpc_components.catalog.level import Level

Path = tuple[str | int, ...]
"""A place in the description: `("queues", 2, "machine")`."""


def dotted(path: Path) -> str:
    """Return `path` as text: `queues[2].machine`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


@dataclass(frozen=True)
class Change:
    """One change of a description: a new value at a path, or the removal of what is there."""

    path: Path
    value: Any = None
    """Plain YAML; None removes the key."""

    def in_words(self, at: Path) -> str:
        """Return the change in words, as the remedy of a finding at `at`."""
        here = self.path == at
        if self.value is None:
            return "leave it out" if here else f"remove {dotted(self.path)}"
        return f"use {_in_yaml(self.value)}" if here else f"write {dotted(self.path)}: {_in_yaml(self.value)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain JSON: `path`, and `set` or `remove`."""
        return {"path": dotted(self.path)} | ({"remove": True} if self.value is None else {"set": self.value})


def _in_yaml(value: Any) -> str:
    """Return a value in YAML's flow style, for a remedy."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_in_yaml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_in_yaml, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What a rule found: the place, the reason and the remedy. `judge` adds the rule's id and level."""

    path: Path
    reason: str
    remedy: str = ""
    """What to do; default: `fix` in words."""
    fix: tuple[Change, ...] = ()
    """The remedy as changes of the description that a program can apply. All of them are needed."""
    value: Any = None
    level: Level | None = None
    """Level in place of the rule's own, for example if a fact is unsure."""
    about: Mapping[str, str] | None = None
    """The subject, if that is not the place: a quota of a region, an image. `path` is then where to begin."""
    places: tuple[Path, ...] = ()
    """All places of the problem, if there can be several; `path` is then the first place, or below it."""

    def __post_init__(self) -> None:
        """Put the fix into words if no remedy is given."""
        if not self.remedy:
            object.__setattr__(self, "remedy", " and ".join(change.in_words(self.path) for change in self.fix))


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A problem with its rule, its level and its place in the file."""

    id: str
    level: Level
    path: str
    """Dotted path below `hpc:cluster`, or `hpc:cluster` itself; for findings on resources, the resource's name."""
    value: Any
    """The offending value, plain."""
    reason: str
    remedy: str
    fix: tuple[Change, ...] = ()
    """The remedy as changes of the description; empty if a person has to decide."""
    file: str | None = None
    line: int | None = None
    """From 1."""
    column: int | None = None
    """From 1."""
    silenced: str | None = None
    """The reason why this finding is silenced."""
    about: Mapping[str, str] | None = None
    """The subject as data, if that is not the path: `{"quota": "L-1216C47A", "region": ...}`."""
    places: tuple[str, ...] = ()
    """Dotted paths of all places of the problem, if there can be several. Two findings with `about` or `places` are
    the same one if they have the same id and `about`, whichever place comes first."""

    def at(self, file: str, line: int | None, column: int | None) -> "Finding":
        """Return the same finding with its place in a file."""
        return replace(self, file=file, line=line, column=column)

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain JSON, without keys that have no value."""
        plain = {key: value for key, value in asdict(self).items() if value not in (None, ())}
        lists = {"places": [*self.places], "fix": [change.to_dict() for change in self.fix]}
        return plain | {"level": str(self.level)} | {key: value for key, value in lists.items() if value}

    def sort_key(self) -> tuple[Any, ...]:
        """Return the sort key: the most severe first, then in file order."""
        return (self.level.rank, self.file or "", self.line or 0, self.column or 0, self.id, self.path)
