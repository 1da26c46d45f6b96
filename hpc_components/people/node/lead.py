"""The head node's part: decides who may use the cluster, applies that here, and publishes it for all other nodes."""

import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hpc_components.people.node import directories, homes, jobs, leaving, name_service, personal_keys
from hpc_components.people.node.document import Document, parse, write
from hpc_components.people.node.name_service import Places, read, replace
from hpc_components.people.node.programs import run_slurm, say
from hpc_components.people.node.resolve import read_known, resolve, write_known
from hpc_components.people.node.version import NAME, version_of

PUBLISHED = "people.json"
"""Name of the published document in the config bucket."""


@dataclass(frozen=True)
class Files:
    """Files of the head node."""

    described: Path = Path("/opt/hpc/config/head/people.json")
    known: Path = Path("/var/lib/hpc/people/ids")
    """Every id that was ever in use. On the state volume, because a new head node must know them too."""
    published: Path = Path("/var/lib/hpc/people/published.json")
    names: Path = Path("/var/lib/hpc/names/people")
    """The version, in a table of the cluster's name server."""
    homes: Path = Path("/home")
    skeleton: Path = Path("/etc/skel")


@dataclass
class Leader:
    """Applies the description of people again and again: an action that failed is done by the next run."""

    publish: Callable[[Path], None]
    """Publishes a file for all nodes. Raises OSError if that fails."""
    files: Files = field(default_factory=Files)
    places: Places = field(default_factory=Places)
    spool: leaving.Spool = field(default_factory=leaving.Spool)
    run: jobs.Run = run_slurm
    tell: Callable[[str], None] = say
    personal_keys: bool = False
    """Whether people have a key of their own, by which compute nodes admit them."""
    _without_key: tuple[str, ...] = ()

    def make_known(self, today: datetime.date) -> tuple[Document, tuple[str, ...]]:
        """Make those who may work today known to this node. Return them, and a sentence for each refused one."""
        resolution = resolve(parse(read(self.files.described)), read_known(read(self.files.known)), today)
        self.files.known.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        replace(self.files.known, write_known(resolution.known), 0o644)
        document, conflicts = name_service.without_conflicts(resolution.published, self.places)
        if name_service.make_known(document, self.places):
            self.tell(f"{len(document.people)} people are known here")
        return document, (*resolution.refused, *conflicts)

    def lead(self, today: datetime.date) -> tuple[str, ...]:
        """Do everything that is to be done. Return sentences about what could not be done."""
        document, refused = self.make_known(today)
        return (*refused, *self._consequences(document))

    def _consequences(self, document: Document) -> Iterator[str]:
        for action in (
            self._end_jobs, self._end_sessions, self._make_homes, self._make_directories, self._publish,
            self._make_personal_keys,  # last, because the first run with thousands of people takes a minute
        ):  # fmt: skip
            try:
                yield from action(document)
            except OSError as error:
                yield str(error)

    def _end_jobs(self, document: Document) -> tuple[str, ...]:
        working = {person.uid for person in document.people.values()}
        for sentence in jobs.settle_jobs(document.former, working, document.waiting_jobs, self.run):
            self.tell(sentence)
        return ()

    def _end_sessions(self, document: Document) -> tuple[str, ...]:
        for sentence in leaving.end_all(document.former, self.spool):
            self.tell(sentence)
        return ()

    def _make_homes(self, document: Document) -> tuple[str, ...]:
        return homes.make_homes(document.people, self.files.homes, self.files.skeleton)

    def _make_personal_keys(self, document: Document) -> tuple[str, ...]:
        """Tell of each problem once, and return none: people can cause them, and must not keep others waiting."""
        if self.personal_keys:
            wrong = personal_keys.make_keys(document.people, self.files.homes)
            for sentence in wrong:
                if sentence not in self._without_key:
                    self.tell(sentence)
            self._without_key = wrong
        return ()

    def _make_directories(self, document: Document) -> tuple[str, ...]:
        return directories.make_directories(document.groups)

    def _publish(self, document: Document) -> tuple[str, ...]:
        text = write(document)
        address = f"{version_of(text)} {NAME}\n"
        if read(self.files.names) != address:
            replace(self.files.published, text, 0o644)
            self.publish(self.files.published)
            replace(self.files.names, address, 0o644)
            self.tell("published a new version for all nodes")
        return ()
