"""The directory is a real OpenLDAP server, asked with the Python and the LDAP library of the system, as nodes do."""

import datetime
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hpc_components.people.node.directory_settings import Settings
from hpc_components.people.node.document import ADMINS, Document, Group, Person, parse

from .directory_server import BASE, BIND_DN, PASSWORD, DirectoryServer, make_certificates
from .node_python import ASK, PYTHON, missing_ldap, packed
from .samples import KEY


def _missing() -> str:
    if shutil.which("slapd", path="/usr/sbin:/usr/bin") is None:
        return "needs slapd (make system)"
    return missing_ldap()


pytestmark = pytest.mark.skipif(bool(_missing()), reason=_missing())


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(tmp_path_factory.mktemp("program"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DirectoryServer]:
    with running(DirectoryServer(tmp_path_factory.mktemp("slapd"), other_address="127.0.0.2")) as server:
        yield server


@contextmanager
def running(server: DirectoryServer) -> Iterator[DirectoryServer]:
    server.port = _free_port()
    server.add_person("ada", 3001, sshPublicKey=[KEY, f"{KEY}-2"], employeeType="hpc", shadowExpire="20783")
    server.add_person("Ben.Bo", 3002, 5001, employeeType="hpc")
    server.add_person("eva", 3003)
    server.add_person("backup", 34, employeeType="hpc")
    server.add_group("staff", 5000, "ada")
    server.add_group("cfd", 5001, "ada", "Ben.Bo", "eva")
    server.add_group("cluster-admins", 5002, "Ben.Bo", "eva")
    server.add_group("sudo", 5003, "ada")
    server.add_group("others", 5004, "eva")
    try:
        server.start()
        yield server
    finally:
        server.stop()


def _free_port() -> int:
    """A port that is free; most likely, the next one is free too."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def settings_for(server: DirectoryServer) -> Settings:
    return Settings(
        servers=(server.uri,),
        base=BASE,
        filter="(employeeType=hpc)",
        bind_dn=BIND_DN,
        password_secret="secret",
        attributes="rfc2307bis" if server.bis else "rfc2307",
        ca_file=str(server.authority),
        administrators="cluster-admins",
        account="general",
        accounts={"cfd": "physics"},
    )


@pytest.fixture
def settings(server: DirectoryServer) -> Settings:
    return settings_for(server)


@pytest.fixture
def ask(program: Path) -> "Ask":
    return Ask(program)


@dataclass(frozen=True)
class Ask:
    """Asks a directory with the program that nodes have."""

    program: Path

    def __call__(self, settings: Settings, password: str = PASSWORD) -> Document:
        done = self._run(settings, password)
        assert done.returncode == 0, done.stderr
        return parse(done.stdout)

    def refused(self, settings: Settings, password: str = PASSWORD) -> str:
        done = self._run(settings, password)
        assert done.returncode == 1
        return done.stderr.strip()

    def _run(self, settings: Settings, password: str) -> "subprocess.CompletedProcess[str]":
        command = [PYTHON, "-I", "-c", ASK, str(self.program), password]
        return subprocess.run(command, input=settings.write(), capture_output=True, text=True, check=False)


def test_it_names_people_with_keys_groups_accounts_and_last_day(ask: Ask, settings: Settings) -> None:
    assert_named(ask(settings))


def test_groups_can_list_the_full_names_of_their_members(ask: Ask, tmp_path: Path) -> None:
    with running(DirectoryServer(tmp_path, bis=True)) as server:
        assert_named(ask(settings_for(server)))


def assert_named(found: Document) -> None:
    last_day = datetime.date(2026, 11, 25)
    assert found.people == {
        "ada": Person(3001, "Ada", (KEY, f"{KEY}-2"), last_day, 5000, "physics"),
        "ben.bo": Person(3002, "Ben.Bo", (), None, 5001, "physics"),
    }
    assert found.groups == {
        "staff": Group(5000, ("ada",)),
        "cfd": Group(5001, ("ada", "ben.bo")),
        "cluster-admins": Group(5002, ("ben.bo",)),
        ADMINS: Group(0, ("ben.bo",)),
    }


def test_the_filter_decides_who_may_use_the_cluster(ask: Ask, settings: Settings) -> None:
    found = ask(replace(settings, filter="(uid=eva)"))
    assert list(found.people) == ["eva"]
    assert found.people["eva"].account == "physics"
    assert ask(replace(settings, filter="(uid=stranger)")) == Document({}, {ADMINS: Group(0)})


def test_a_server_gives_more_people_than_it_puts_into_one_answer(ask: Ask, tmp_path: Path) -> None:
    large = DirectoryServer(tmp_path)
    for number in range(1, 1202):
        large.add_person(f"p{number}", 4000 + number, employeeType="hpc")
    with running(large) as server:
        assert len(ask(settings_for(server)).people) == 1201 + 2
        server.stop()
        server.max_entries = "1000"
        server.start()
        said = ask.refused(settings_for(server))
        assert said.startswith(f"{server.uri} gives {BIND_DN} only a part of the entries: raise its limit")


def test_it_is_asked_over_starttls(ask: Ask, settings: Settings, server: DirectoryServer) -> None:
    assert len(ask(replace(settings, servers=(server.plain_uri,))).people) == 2


def test_the_next_server_is_asked_if_one_does_not_answer(ask: Ask, settings: Settings) -> None:
    assert len(ask(replace(settings, servers=("ldaps://127.0.0.1:9", *settings.servers))).people) == 2


@pytest.mark.parametrize("starttls", [False, True])
def test_a_certificate_of_another_authority_is_named_as_the_reason(
    ask: Ask, settings: Settings, server: DirectoryServer, starttls: bool, tmp_path: Path
) -> None:
    make_certificates(tmp_path, server.address)
    uri = server.plain_uri if starttls else server.uri
    said = ask.refused(replace(settings, servers=(uri,), ca_file=str(tmp_path / "ca.pem")))
    assert said.startswith(f"{uri}: its certificate is refused: ")
    said = ask.refused(replace(settings, servers=(uri,), ca_file=""))
    assert said.startswith(f"{uri}: its certificate is refused: ")


def test_a_certificate_for_another_address_is_named_as_the_reason(ask: Ask, settings: Settings) -> None:
    uri = settings.servers[0].replace("127.0.0.1", "127.0.0.2")
    said = ask.refused(replace(settings, servers=(uri,)))
    assert (
        said == f"{uri}: its certificate is refused: IP address mismatch, certificate is not valid for '127.0.0.2'."
    )


def test_a_wrong_password_is_named_as_the_reason(ask: Ask, settings: Settings) -> None:
    said = ask.refused(settings, "wrong")
    assert said == f"{settings.servers[0]} refuses bind_dn {BIND_DN}, or its password"


def test_a_stopped_server_is_named_as_the_reason(ask: Ask, settings: Settings) -> None:
    said = ask.refused(replace(settings, servers=("ldaps://127.0.0.1:9", "ldaps://ldap.invalid")))
    assert said == ("ldaps://127.0.0.1:9: Connection refused; ldaps://ldap.invalid: Name or service not known")


def test_mistakes_in_the_description_are_named(ask: Ask, settings: Settings) -> None:
    uri = settings.servers[0]
    assert ask.refused(replace(settings, base="ou=x,dc=example,dc=org")) == (
        f"{uri} has no entry ou=x,dc=example,dc=org: correct base"
    )
    assert ask.refused(replace(settings, filter="(uid=a")) == "(uid=a is not a filter: RFC 4515 has examples"
