"""The part of login and compute nodes: applies what the head node publishes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hpc_components.people.node import homes, leaving, name_service
from hpc_components.people.node.document import parse
from hpc_components.people.node.name_service import Places, read
from hpc_components.people.node.programs import say
from hpc_components.people.node.version import announced, version_of


@dataclass
class Follower:
    """Fetches the published document when its version changes, and applies it."""

    fetch: Callable[[Path, int], None]
    """Writes the published document into a file, waiting up to that many seconds until there is one. Raises OSError
    if that fails."""
    file: Path = Path("/opt/hpc/people.json")
    places: Places = field(default_factory=Places.here)
    spool: leaving.Spool = field(default_factory=leaving.Spool)
    homes: Path | None = None
    """Where to make home directories, or None if they are on a shared file system."""
    skeleton: Path = Path("/etc/skel")
    announced: Callable[[], str | None] = announced
    tell: Callable[[str], None] = say
    _applied: str = ""

    def follow(self) -> tuple[str, ...]:
        """Apply the published document if it has changed. Return sentences about what could not be done."""
        version = self.announced()
        if version is None or version == self._applied:
            return ()
        if version_of(read(self.file)) != version:
            self.fetch(self.file, 0)
        return self.apply()

    def begin(self, seconds: int) -> tuple[str, ...]:
        """Fetch and apply the document at boot, waiting up to `seconds` until the head node has published one."""
        self.fetch(self.file, seconds)
        return self.apply()

    def apply(self) -> tuple[str, ...]:
        """Apply the document that was fetched last. Return sentences about what could not be done.

        Raise OSError if a file can't be written or processes do not end.
        """
        text = read(self.file)
        document, wrong = name_service.without_conflicts(parse(text), self.places)
        if name_service.make_known(document, self.places):
            self.tell(f"{len(document.people)} people are known here")
        for sentence in leaving.end_all(document.former, self.spool):
            self.tell(sentence)
        if self.homes:
            wrong += homes.make_homes(document.people, self.homes, self.skeleton)
        self._applied = version_of(text)
        return wrong
