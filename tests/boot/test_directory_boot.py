"""People of an OpenLDAP server on a head node and a login node that really boot."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.people.directory_server import BASE, BIND_DN, PASSWORD, DirectoryServer, make_certificates

from .cluster import Cluster, booted, spec
from .lab import GATEWAY, wait_for
from .looking import journal
from .people_scenarios import MINUTES, Entrance, Key

pytestmark = [pytest.mark.boot, pytest.mark.slow]

HOST = "ldap.example.net"

SECRET = "arn:aws:secretsmanager:us-east-2:123456789012:secret:ldap-AbCdEf"


def described(authority: str) -> dict[str, Any]:
    directory = {
        "servers": [f"ldaps://{HOST}"],
        "base": BASE,
        "filter": "(employeeType=hpc)",
        "bind_dn": BIND_DN,
        "password_secret": SECRET,
        "ca_certificate": authority,
        "administrators": "cluster-admins",
        "account": "general",
        "accounts": {"cfd": "physics"},
    }
    accounting = {"accounts": {"general": {}, "physics": {}}}
    return {"people": {"directory": directory}, "slurm": {"version": "24.11", "accounting": accounting}}


@dataclass
class Site(Entrance):
    """A cluster whose people are in a directory."""

    cluster: Cluster
    server: DirectoryServer

    def employ(self, *names: str) -> None:
        """Let these people match the filter, and no others."""
        for entry in list(self.server.entries):
            if entry.startswith("uid="):
                del self.server.entries[entry]
        public = self.key.public
        for number, name in enumerate(("ada", "bob", "cleo", "dora", "eva")):
            kind = "hpc" if name in names else "none"
            self.server.add_person(name, 3001 + number, sshPublicKey=public, employeeType=kind)
        self.server.stop()
        self.server.start()

    def ask_and_say(self, text: str) -> None:
        """Let the head node ask at once, not within a minute, and say this."""
        self.head.run("systemctl", "restart", "hpc-people")
        wait_for(lambda: text in journal(self.head, "--unit=hpc-people"), text, MINUTES)

    def program(self, command: str) -> str:
        """What `hpc-people` prints; as a service, because the lab's cloud is in the environment of services."""
        return self.head.run("systemd-run", "-q", "--pipe", "--wait", "/opt/hpc/bin/hpc-people", command, check=False)


@pytest.fixture(scope="module")
def site(layers: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    key = Key.made_in(tmp_path_factory.mktemp("keys"))
    server = DirectoryServer(tmp_path_factory.mktemp("slapd"), address=GATEWAY, name=HOST, port=636)
    make_certificates(server.folder, HOST)
    server.add_group("staff", 5000)
    server.add_group("cfd", 5001, "ada", "cleo")
    server.add_group("cluster-admins", 5002, "bob")
    with booted(layers, spec(**described(server.authority.read_text())), services=(HOST,)) as cluster:
        cluster.aws.secrets[SECRET] = {"first": PASSWORD.encode()}
        cluster.aws.arns[SECRET] = SECRET
        server.enter = cluster.lab.inside
        site = Site(cluster, key, server)
        try:
            site.employ("ada", "bob")
            yield site
        finally:
            server.stop()


def test_a_person_of_the_directory_works_under_an_account_of_slurm(site: Site) -> None:
    assert site.login.alive
    assert site.ssh("ada", "id").strip() == "uid=3001(ada) gid=5000(staff) groups=5000(staff),5001(cfd)"
    assert site.login.run("stat", "-c", "%a %U %G", "/home/ada").strip() == "700 ada staff"
    site.ssh("ada", "sbatch --hold --wrap true")
    site.ssh("bob", "sbatch --hold --wrap true")
    assert sorted(site.head.run("squeue", "-h", "-o", "%u %a").splitlines()) == ["ada physics", "bob general"]


def test_who_does_not_match_the_filter_has_no_access(site: Site) -> None:
    assert "Permission denied" in site.ssh("cleo", "true", check=False)
    assert "no such user" in site.head.run("id", "cleo", check=False)


def test_members_of_the_group_of_administrators_may_use_sudo_and_control_slurm(site: Site) -> None:
    assert site.ssh("bob", "sudo -n id -un").strip() == "root"
    assert "password is required" in site.ssh("ada", "sudo -n id -un", check=False)
    assert "Administrator" in site.head.run("sacctmgr", "-nP", "show", "user", "bob", "format=adminlevel")


def test_someone_who_begins_to_match_has_access_within_two_minutes(site: Site) -> None:
    site.employ("ada", "bob", "cleo", "dora", "eva")
    wait_for(lambda: "5001(cfd)" in site.login.run("id", "cleo", check=False), "cleo is known", MINUTES)
    wait_for(lambda: site.ssh("cleo", "sbatch --hold --wrap true", check=False).startswith("Submitted"), "may submit")


def test_people_go_on_while_the_server_is_stopped(site: Site) -> None:
    site.server.stop()
    site.ask_and_say(f"directory: ldaps://{HOST}: Connection refused; its 5 people stay")
    site.head.kill()
    site.__dict__["head"] = site.boot_head()
    assert site.ssh("ada", "id -un").strip() == "ada"
    said = site.head.run("cat", "/var/log/hpc-boot.log")
    assert f"directory: ldaps://{HOST}: Connection refused; its 5 people stay" in said


def test_a_wrong_certificate_and_a_wrong_password_are_named(site: Site, tmp_path: Path) -> None:
    other = DirectoryServer(tmp_path / "other", address=GATEWAY, name=HOST, port=636, enter=site.server.enter)
    other.start()
    try:
        site.ask_and_say(f"ldaps://{HOST}: its certificate is refused: ")
    finally:
        other.stop()
    site.cluster.aws.secrets[SECRET]["second"] = b"not this one"
    site.server.start()
    site.ask_and_say(f"ldaps://{HOST} refuses bind_dn {BIND_DN}, or its password; its 5 people stay")
    site.cluster.aws.secrets[SECRET]["third"] = PASSWORD.encode()
    wait_for(lambda: "dora" in site.program("directory"), "it asks with the new password")


def test_someone_who_no_longer_matches_has_nothing_that_runs_within_two_minutes(site: Site) -> None:
    site.login.run("systemd-run", "--quiet", "--uid=3001", "sleep", "3600")
    site.employ("bob", "cleo", "dora", "eva")
    wait_for(lambda: "former-ada" in site.login.run("id", "3001", check=False), "ada has left", MINUTES)
    wait_for(lambda: not site.login.run("pgrep", "-U", "3001", check=False), "nothing of ada runs", MINUTES)
    wait_for(lambda: "ada" not in site.head.run("squeue", "-h", "-o", "%u"), "ada's job is cancelled", MINUTES)
    assert "Permission denied" in site.ssh("ada", "true", check=False)
    assert site.ssh("bob", "id -un").strip() == "bob"


def test_a_filter_that_finds_no_one_removes_no_one(site: Site) -> None:
    site.employ()
    site.ask_and_say("directory: 4 of 4 people have left at the same time, and stay until someone runs")
    assert site.ssh("cleo", "id -un").strip() == "cleo"
    site.program("accept-removals")
    assert "no such user" in site.head.run("id", "cleo", check=False)
