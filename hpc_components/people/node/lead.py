"""The head node's part: decides who may use the cluster, applies that here, and publishes it for all other nodes."""

import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hpc_components.people.node import directories, homes, jobs, leaving, name_service, personal_keys
from hpc_components.people.node.accounts import Accounts
from hpc_components.people.node.directory import Directory
from hpc_components.people.node.document import ADMINS, Document, parse, write
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
    places: Places = field(default_factory=Places.here)
    spool: leaving.Spool = field(default_factory=leaving.Spool)
    run: jobs.Run = run_slurm
    tell: Callable[[str], None] = say
    directory: Directory | None = None
    personal_keys: bool = False
    """Whether people have a key of their own, by which compute nodes admit them."""
    accept_removals: bool = False
    """Whether people leave who left the directory, however many they are."""
    _told: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Problems of the run before, keyed by what they are about."""
    _settled: Document | None = None
    """The people whose accounts are right."""

    def make_known(self, today: datetime.date) -> tuple[Document, tuple[str, ...]]:
        """Make those who may work today known to this node. Return them, and a sentence for each refused one.

        What is wrong with the directory is only told: it must not keep the head node from starting.
        """
        described = parse(read(self.files.described))
        if self.directory:
            named, wrong = self.directory.people(accept_removals=self.accept_removals)
            described = described.joined_by(named)
            self._tell_once("directory", wrong)
        resolution = resolve(described, read_known(read(self.files.known)), today)
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
            self._settle_accounts,
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
        """Tell of each problem, and return none: people can cause them, and must not keep others waiting."""
        if self.personal_keys:
            self._tell_once("keys", personal_keys.make_keys(document.people, self.files.homes))
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

    def _settle_accounts(self, document: Document) -> tuple[str, ...]:
        settings = self.directory.settings if self.directory else None
        if settings is None or not settings.cluster or document == self._settled:
            return ()
        account_of = {name: one.account for name, one in document.people.items() if one.account}
        given = tuple(dict.fromkeys(filter(None, (*settings.accounts.values(), settings.account))))
        refused = Accounts(settings.cluster, self.run).settle(given, account_of, document.groups[ADMINS].members)
        self._settled = None if refused else document
        return refused

    def _tell_once(self, about: str, sentences: tuple[str, ...]) -> None:
        """Tell of each problem that the run before did not have."""
        before = self._told.get(about, ())
        for sentence in sentences:
            if sentence not in before:
                self.tell(sentence)
        self._told[about] = sentences
