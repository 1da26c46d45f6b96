"""Describes how a file system can lose files: through a server failure or an accidental deletion."""

from dataclasses import dataclass

from hpc_components.spec.findings import Change, Level, Path


@dataclass(frozen=True, kw_only=True)
class Weakness:
    """A way in which files can be lost, and the remedy."""

    reason: str
    remedy: str = ""
    fix: tuple[tuple[str, object], ...] = ()
    """(key, value) pairs to set on the file system to prevent the loss. Empty if no setting can prevent it."""
    level: Level | None = None
    """Level for file systems with home directories, if it differs from the rule's own level."""

    def changes(self, path: Path) -> tuple[Change, ...]:
        return tuple(Change((*path, key), value) for key, value in self.fix)


@dataclass(frozen=True, kw_only=True)
class Durability:
    """A file system's weaknesses. An attribute is None if the file system doesn't have that weakness."""

    failure: Weakness | None = None
    """How a single server's failure can lose files."""
    deletion: Weakness | None = None
    """How a deleted or overwritten file can be lost permanently."""
