"""What a file system keeps when a server fails or a person deletes a file."""

from dataclasses import dataclass

from hpc_components.spec.findings import Change, Level, Path

__all__ = ["Durability", "Weakness"]


@dataclass(frozen=True, kw_only=True)
class Weakness:
    """One way in which files are lost, and what helps."""

    reason: str
    remedy: str = ""
    fix: tuple[tuple[str, object], ...] = ()
    """Keys of the file system with the values that help, if some do."""
    level: Level | None = None
    """How bad it is for homes, in place of the rule's own level."""

    def changes(self, path: Path) -> tuple[Change, ...]:
        """The fix, for the file system at `path`."""
        return tuple(Change((*path, key), value) for key, value in self.fix)


@dataclass(frozen=True, kw_only=True)
class Durability:
    """What a file system can't bring back. None where there is nothing to say."""

    failure: Weakness | None = None
    """One failed server takes files with it."""
    deletion: Weakness | None = None
    """A file that was deleted or overwritten is gone."""
