"""Findings: what a rule says about a place in a cluster's description."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from hpc_components.catalog.level import Level

__all__ = ["Change", "Finding", "Level", "Path", "Problem", "dotted"]

Path = tuple[str | int, ...]
"""A place in the description: `("queues", 2, "machine")`."""


def dotted(path: Path) -> str:
    """`path` as text: `queues[2].machine`."""
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
        """The change as a remedy of a finding at `at` says it."""
        here = self.path == at
        if self.value is None:
            return "leave it out" if here else f"remove {dotted(self.path)}"
        return f"use {_in_yaml(self.value)}" if here else f"write {dotted(self.path)}: {_in_yaml(self.value)}"

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON: `path`, and `set` or `remove`."""
        return {"path": dotted(self.path)} | ({"remove": True} if self.value is None else {"set": self.value})


def _in_yaml(value: Any) -> str:
    """A value in YAML's flow style, as a remedy writes it."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_in_yaml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_in_yaml, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What a rule found: the place, the reason and the remedy. The judge adds the rule's id and level."""

    path: Path
    reason: str
    remedy: str = ""
    """What to do; where it is left out, it is made from `fix`."""
    fix: tuple[Change, ...] = ()
    """The remedy as changes of the description, where a program could make them. All of them are needed."""
    value: Any = None
    level: Level | None = None
    """Level in place of the rule's own, for example where a fact is unsure."""
    about: Mapping[str, str] | None = None
    """What it is of, where that is not its place: a quota of a region, an image. `path` is then where to begin."""
    places: tuple[Path, ...] = ()
    """All places that it concerns, where those may be several; `path` is then the first of them, or below it."""

    def __post_init__(self) -> None:
        """Put the fix into words where no remedy is given."""
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
    """The remedy as changes of the description; empty where it takes a person."""
    file: str | None = None
    line: int | None = None
    """From 1."""
    column: int | None = None
    """From 1."""
    silenced: str | None = None
    """The reason why this finding is not to be reported."""
    about: Mapping[str, str] | None = None
    """What it is of, as data, where that is not its path: `{"quota": "L-1216C47A", "region": ...}`."""
    places: tuple[str, ...] = ()
    """Dotted paths of all places that it concerns, where those may be several. With `about` or `places` a finding is
    the same one as another of its id and `about`, whichever of its places comes first."""

    def at(self, file: str, line: int | None, column: int | None) -> "Finding":
        """The same finding with its place in a file."""
        return replace(self, file=file, line=line, column=column)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON; keys without a value are left out."""
        plain = {key: value for key, value in asdict(self).items() if value not in (None, ())}
        lists = {"places": [*self.places], "fix": [change.to_dict() for change in self.fix]}
        return plain | {"level": str(self.level)} | {key: value for key, value in lists.items() if value}

    def sort_key(self) -> tuple[Any, ...]:
        """Worst first, then in the order of the file."""
        return (self.level.rank, self.file or "", self.line or 0, self.column or 0, self.id, self.path)
