from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from hpc_components.catalog.level import Level

Path = tuple[str | int, ...]
"""A place in the description, e.g. `("queues", 2, "machine")`."""


def dotted(path: Path) -> str:
    """Return `path` as text, e.g. `queues[2].machine`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


@dataclass(frozen=True)
class Change:
    """A change to a description: either sets the value at a path or removes the key."""

    path: Path
    value: Any = None
    """The new value, in plain YAML types, or None to remove the key."""

    def in_words(self, at: Path) -> str:
        """Return the change in words, for the remedy of a finding whose path is `at`."""
        here = self.path == at
        if self.value is None:
            return "leave it out" if here else f"remove {dotted(self.path)}"
        return f"use {_in_yaml(self.value)}" if here else f"write {dotted(self.path)}: {_in_yaml(self.value)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the change in plain JSON types, with `path` and either `set` or `remove`."""
        return {"path": dotted(self.path)} | ({"remove": True} if self.value is None else {"set": self.value})


def _in_yaml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_in_yaml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_in_yaml, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A problem that a rule found: its place, the reason and the remedy. `judge` adds the rule's id and level."""

    path: Path
    reason: str
    remedy: str = ""
    """What to do. By default, the wording is derived from `fix`."""
    fix: tuple[Change, ...] = ()
    """The remedy as changes that a program can apply to the description. All changes are needed."""
    value: Any = None
    level: Level | None = None
    """Level to use instead of the rule's own level, e.g. because a fact is uncertain."""
    about: Mapping[str, str] | None = None
    """The subject, if it is not a place in the description, e.g. a region's quota or an image. In that case, `path`
    is the place to change first."""
    places: tuple[Path, ...] = ()
    """All places that cause the problem, if there can be several. In that case, `path` is the first place or is
    nested in it."""

    def __post_init__(self) -> None:
        if not self.remedy:
            object.__setattr__(self, "remedy", " and ".join(change.in_words(self.path) for change in self.fix))


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A problem together with the rule's id, its level and its place in the file."""

    id: str
    level: Level
    path: str
    """Dotted path under `hpc:cluster`, or `hpc:cluster` itself. For findings about resources, the resource's name."""
    value: Any
    """The offending value, in plain types."""
    reason: str
    remedy: str
    fix: tuple[Change, ...] = ()
    """The remedy as changes to the description. Empty if a person has to decide."""
    file: str | None = None
    line: int | None = None
    """Line number, counted from 1."""
    column: int | None = None
    """Column number, counted from 1."""
    silenced: str | None = None
    """The user's reason for silencing this finding, or None if it is not silenced."""
    about: Mapping[str, str] | None = None
    """The finding's subject as data, if the subject is not `path`, e.g. `{"quota": "L-1216C47A", "region": ...}`."""
    places: tuple[str, ...] = ()
    """Dotted paths of all places that cause the problem, if there can be several. For findings with `about` or
    `places`, two findings are the same if their ids and `about` are equal, even if a different place comes first."""

    def at(self, file: str, line: int | None, column: int | None) -> "Finding":
        """Return a copy of the finding, located at this place in `file`."""
        return replace(self, file=file, line=line, column=column)

    def to_dict(self) -> dict[str, Any]:
        """Return the finding in plain JSON types, without empty keys."""
        plain = {key: value for key, value in asdict(self).items() if value not in (None, ())}
        lists = {"places": [*self.places], "fix": [change.to_dict() for change in self.fix]}
        return plain | {"level": str(self.level)} | {key: value for key, value in lists.items() if value}

    def sort_key(self) -> tuple[Any, ...]:
        """Return a sort key that puts the most severe findings first and follows file order within a level."""
        return (self.level.rank, self.file or "", self.line or 0, self.column or 0, self.id, self.path)
