"""What the head node makes of a directory's answers, and of their absence."""

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hpc_components.people.node.directory import Directory
from hpc_components.people.node.directory_entries import Entry, schema_of, sid_of
from hpc_components.people.node.directory_people import found_in
from hpc_components.people.node.directory_settings import Settings
from hpc_components.people.node.document import ADMINS, Document, Group, Person
from hpc_components.people.node.ldap_search import WrongPasswordError

from .samples import KEY

SETTINGS = Settings(("ldaps://ldap.example.org",), "dc=example,dc=org", "(uid=*)", "cn=hpc", "secret")

DOMAIN = "S-1-5-21-1004336348-1177238915-682003330"


def entry(name: str, uid: int | str, **more: str | Iterable[str]) -> Entry:
    return Entry.of(f"uid={name},dc=example", attributes({"uid": name, "uidNumber": str(uid), **more}))


def group(name: str, gid: int, *members: str) -> Entry:
    return Entry.of(f"cn={name},dc=example", attributes({"cn": name, "gidNumber": str(gid), "memberUid": members}))


def attributes(given: Mapping[str, str | Iterable[str]]) -> dict[str, list[bytes]]:
    return {
        key: [each.encode() for each in ([value] if isinstance(value, str) else value)]
        for key, value in given.items()
    }


@dataclass
class Server:
    """A directory that answers with these people, or not at all."""

    people: list[Entry]
    password: str = "first"
    down: bool = False
    read: list[str] = field(default_factory=list)

    def search(self, settings: Settings, password: str, queries: Mapping[str, Iterable[str]]) -> list[list[Entry]]:
        if self.down:
            raise OSError("ldaps://ldap.example.org: Connection refused")
        if password != self.password:
            raise WrongPasswordError("ldaps://ldap.example.org refuses bind_dn cn=hpc, or its password")
        return [self.people, []]

    def read_password(self, secret: str) -> str:
        self.read.append(secret)
        return self.password


def crowd(number: int) -> list[Entry]:
    return [entry(f"p{each}", 3000 + each) for each in range(number)]


@pytest.fixture
def server() -> Server:
    return Server(crowd(10))


@pytest.fixture
def directory(server: Server, tmp_path: Path) -> Directory:
    return Directory(SETTINGS, server.read_password, server.search, tmp_path / "state/directory.json")


def test_people_stay_while_the_server_does_not_answer(server: Server, directory: Directory) -> None:
    before, said = directory.people()
    assert len(before.people) == 10
    assert not said
    server.down = True
    assert directory.people() == (
        before,
        ("directory: ldaps://ldap.example.org: Connection refused; its 10 people stay",),
    )


def test_a_new_head_node_knows_the_last_answer(server: Server, directory: Directory) -> None:
    before, _ = directory.people()
    server.down = True
    new = Directory(SETTINGS, server.read_password, server.search, directory.remembered)
    assert new.people()[0] == before
    assert directory.remembered.stat().st_mode & 0o777 == 0o600


def test_without_any_answer_the_head_node_has_the_described_people_only(server: Server, directory: Directory) -> None:
    server.down = True
    assert directory.people() == (Document(), ("directory: ldaps://ldap.example.org: Connection refused",))


@pytest.mark.parametrize(("left", "leave"), [(9, True), (5, True), (4, False), (0, False)])
def test_many_people_leave_at_the_same_time_only_if_someone_accepts_it(
    server: Server, directory: Directory, left: int, leave: bool
) -> None:
    directory.people()
    server.people = crowd(left)
    now, said = directory.people()
    assert len(now.people) == (left if leave else 10)
    assert bool(said) is not leave
    assert len(directory.people(accept_removals=True)[0].people) == left


def test_few_people_leave_at_the_same_time_whatever_their_share_is(server: Server, directory: Directory) -> None:
    server.people = crowd(4)
    directory.people()
    server.people = crowd(1)
    assert len(directory.people()[0].people) == 1
    server.people = []
    assert len(directory.people()[0].people) == 1, "the last ones stay: a filter that finds no one is a mistake"


def test_a_filter_that_finds_no_one_is_told(server: Server, directory: Directory) -> None:
    server.people = []
    assert directory.people()[1] == ("directory: the filter (uid=*) finds no one",)


def test_the_password_is_read_once_and_again_after_it_was_changed(server: Server, directory: Directory) -> None:
    directory.people()
    directory.people()
    assert server.read == ["secret"]
    server.password = "second"
    assert "or its password" in directory.people()[1][0]
    assert directory.people()[1] == ()
    assert server.read == ["secret", "secret"]


def test_the_description_counts_before_the_directory(directory: Directory) -> None:
    described = Document(
        {"p1": Person(2001, keys=(KEY,))}, {ADMINS: Group(1999, ("p1",)), "cfd": Group(4000, ("p1",))}
    )
    others = Document(
        {"p1": Person(3001), "p2": Person(3002)}, {ADMINS: Group(0, ("p2",)), "cfd": Group(5000, ("p2",))}
    )
    both = described.joined_by(others)
    assert both.people == {"p1": Person(2001, keys=(KEY,)), "p2": Person(3002)}
    assert both.groups == {ADMINS: Group(1999, ("p1", "p2")), "cfd": Group(4000, ("p1",))}


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (entry("1ada", 3001), "the name can't be that of a user"),
        (entry("ada lovelace", 3001), "the name can't be that of a user"),
        (entry("default", 3001), "the name can't be that of a user"),
        (entry("ada", "x"), "the entry has no id"),
        (entry("ada", 999), "the uid belongs to the system"),
        (entry("ada", 65534), "the uid belongs to the system"),
        (entry("ada", 3001, gidNumber="27"), "the gid belongs to the system"),
    ],
)
def test_people_who_cannot_be_users_are_left_out(one: Entry, reason: str) -> None:
    found = found_in([one, entry("bob", 3002, gidNumber="100")], [], SETTINGS)
    assert list(found.document.people) == ["bob"]
    assert found.left_out == (f"directory: left out {one.text('uid')}: {reason}",)


def test_of_two_entries_with_one_name_both_are_left_out() -> None:
    twin = Entry.of("uid=ada,ou=guests,dc=example", attributes({"uid": "Ada", "uidNumber": "3009"}))
    found = found_in([entry("ada", 3001), twin], [], SETTINGS)
    assert not found.document.people
    assert found.left_out == ("directory: left out ada, ada: several entries have the same name",)


def test_a_sentence_names_a_few_of_many() -> None:
    found = found_in([entry(f"p{number}", 100 + number) for number in range(7)], [], SETTINGS)
    assert found.left_out == ("directory: left out p0, p1, p2, p3, p4 and 2 others: the uid belongs to the system",)


def test_no_group_of_a_directory_lets_its_members_become_root() -> None:
    groups = [
        group("sudo", 5001, "ada"),
        group("wheel", 5002, "ada"),
        group(ADMINS, 5003, "ada"),
        group("root", 5004, "ada"),
    ]
    found = found_in([entry("ada", 3001)], groups, SETTINGS)
    assert found.document.groups == {ADMINS: Group(0)}


def sid(last: int, domain: str = DOMAIN) -> bytes:
    parts = [int(each) for each in domain.split("-")[3:]] + [last]
    return bytes([1, len(parts)]) + (5).to_bytes(6, "big") + b"".join(part.to_bytes(4, "little") for part in parts)


def test_active_directory_names_people_by_their_security_identifier() -> None:
    settings = Settings(
        **vars(SETTINGS) | {"attributes": "active_directory", "domain_sid": DOMAIN, "administrators": "HPC Admins"}
    )
    cfd = {"sAMAccountName": [b"cfd"], "objectSid": [sid(2001)]}
    admins = {"sAMAccountName": [b"HPC Admins"], "objectSid": [sid(2002)]}
    ada = {
        "sAMAccountName": [b"Ada"], "objectSid": [sid(1104)], "displayName": [b"Ada Lovelace"],
        "memberOf": [b"CN=cfd,DC=example", b"CN=HPC Admins,DC=example"], "accountExpires": [b"134064288000000000"],
    }  # fmt: skip
    foreign = {"sAMAccountName": [b"bob"], "objectSid": [sid(1105, "S-1-5-21-1-2-3")]}
    found = found_in(
        [Entry.of("CN=Ada,DC=example", ada), Entry.of("CN=Bob,DC=example", foreign)],
        [Entry.of("CN=cfd,DC=example", cfd), Entry.of("CN=HPC Admins,DC=example", admins)],
        settings,
    )
    assert found.document.people == {"ada": Person(201104, "Ada Lovelace", expires=datetime.date(2025, 10, 31))}
    assert found.document.groups == {"cfd": Group(202001, ("ada",)), ADMINS: Group(0, ("ada",))}
    assert found.left_out == ("directory: left out bob: the entry has no id",)


def test_a_security_identifier_is_written_as_windows_writes_it() -> None:
    assert sid_of(sid(512)) == f"{DOMAIN}-512"
    assert sid_of(b"short") == ""


@pytest.mark.parametrize(
    ("value", "last"),
    [("0", None), ("9223372036854775807", None), ("", None), ("134064288000000000", datetime.date(2025, 10, 31))],
)
def test_an_account_of_active_directory_ends_on_the_day_before(value: str, last: datetime.date | None) -> None:
    schema = schema_of(Settings(**vars(SETTINGS) | {"attributes": "active_directory"}))
    assert schema.last_day(Entry.of("cn=ada", {"accountExpires": [value.encode()]})) == last
