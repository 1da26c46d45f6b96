"""Adds the people of a directory to those of the description. Only the head node asks it, once a minute."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hpc_components.people.node import ldap_search
from hpc_components.people.node.directory_entries import Entry, schema_of
from hpc_components.people.node.directory_people import Found, found_in
from hpc_components.people.node.directory_settings import Settings
from hpc_components.people.node.document import Document, parse, write
from hpc_components.people.node.name_service import read, replace

REMEMBERED = Path("/var/lib/hpc/people/directory.json")
"""What the directory last said. On the state volume, because a new head node must know it too."""

MAX_REMOVED = 0.5
"""Share of the people who may leave at the same time. More of them are rather a mistake in the filter, or a directory
that is being restored."""

FEW = 3
"""So many people may leave at the same time whatever their share is, unless no one remains."""

Search = Callable[[Settings, str, Mapping[str, Iterable[str]]], list[list[Entry]]]


@dataclass
class Directory:
    """Who may use the cluster according to a directory, and according to its last answer while it does not answer."""

    settings: Settings
    read_password: Callable[[str], str]
    """Returns the password in a secret. Raises OSError if it can't be read."""
    search: Search = ldap_search.search
    remembered: Path = REMEMBERED
    _password: str | None = field(default=None, repr=False)

    def ask(self) -> Found:
        """Return the directory's answer. Raise OSError, with the server's name and the reason, without one."""
        settings, schema = self.settings, schema_of(self.settings)
        queries = {
            f"(&{schema.people}{settings.filter})": (*schema.attributes_of_people, settings.key_attribute),
            schema.groups: schema.attributes_of_groups,
        }
        if self._password is None:
            self._password = self.read_password(settings.password_secret)
        try:
            people, groups = self.search(settings, self._password, queries)
        except ldap_search.WrongPasswordError:
            self._password = None  # it may have been changed: the next time, the secret is read again
            raise
        return found_in(people, groups, settings)

    def people(self, *, accept_removals: bool = False) -> tuple[Document, tuple[str, ...]]:
        """Return the people of the directory, and sentences about what is wrong with them or with the directory."""
        before = self._last_answer()
        try:
            found = self.ask()
        except OSError as error:
            stay = f"; its {len(before.people)} people stay" if before.people else ""
            return before, (f"directory: {error}{stay}",)
        now, were = found.document.people, before.people
        gone = len(were.keys() - now.keys())
        if gone and (not now or gone > max(FEW, MAX_REMOVED * len(were))) and not accept_removals:
            return before, (
                f"directory: {gone} of {len(were)} people have left at the same time, and stay until someone runs "
                "`sudo /opt/hpc/bin/hpc-people accept-removals` on the head node: is the filter right, "
                f"{self.settings.filter}?",
            )
        self.remembered.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        replace(self.remembered, write(found.document), 0o600)
        empty = () if now else (f"directory: the filter {self.settings.filter} finds no one",)
        return found.document, (*found.left_out, *empty)

    def _last_answer(self) -> Document:
        text = read(self.remembered)
        return parse(text) if text else Document()
