"""Loss of files when a server fails or a user deletes one."""

from dataclasses import dataclass

from hpc_components.spec.findings import Change, Level, Path


@dataclass(frozen=True, kw_only=True)
class Weakness:
    """One way in which files are lost, and the remedy."""

    reason: str
    remedy: str = ""
    fix: tuple[tuple[str, object], ...] = ()
    """Keys of the file system with the values that prevent the loss, if any."""
    level: Level | None = None
    """Level for file systems with homes, in place of the rule's own level."""

    def changes(self, path: Path) -> tuple[Change, ...]:
        """Return the fix as changes of the file system at `path`."""
        return tuple(Change((*path, key), value) for key, value in self.fix)


@dataclass(frozen=True, kw_only=True)
class Durability:
    """The weaknesses of a file system; None for one that it does not have."""

    failure: Weakness | None = None
    """One failed server takes files with it."""
    deletion: Weakness | None = None
    """A file that was deleted or overwritten is gone."""
