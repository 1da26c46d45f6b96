"""The directory is an Active Directory: Samba's domain controller, in separate namespaces."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from hpc_components.people.node.directory_settings import Settings
from hpc_components.people.node.document import ADMINS, Document, Group, Person, parse

from .node_python import ASK, PYTHON, missing_ldap, packed

TOOLS = ("samba", "samba-tool", "ldbsearch", "unshare", "nsenter")


def _missing() -> str:
    if os.geteuid() != 0:
        return "needs root, for namespaces"
    absent = [tool for tool in TOOLS if shutil.which(tool, path="/usr/sbin:/usr/bin:/sbin:/bin") is None]
    return f"needs {', '.join(absent)} (make system)" if absent else missing_ldap()


pytestmark = [pytest.mark.skipif(bool(_missing()), reason=_missing()), pytest.mark.slow]


@dataclass(frozen=True)
class Controller:
    """A running domain controller."""

    folder: Path
    process: int
    sid: str

    @property
    def settings(self) -> Settings:
        return Settings(
            servers=("ldaps://dc.example.org",),
            base="DC=example,DC=org",
            filter="(memberOf=CN=cfd,CN=Users,DC=example,DC=org)",
            bind_dn="hpc@example.org",
            password_secret="secret",
            attributes="active_directory",
            ca_file=str(self.folder / "dc/private/tls/ca.pem"),
            administrators="HPC Admins",
        )

    def ask(self, settings: Settings, program: Path, password: str = "Passw0rd-h") -> Document | str:
        """The answer, or the reason for none."""
        inside = ("nsenter", "-t", str(self.process), "-m", "-n")
        command = [*inside, PYTHON, "-I", "-c", ASK, str(program), password]
        done = subprocess.run(command, input=settings.write(), capture_output=True, text=True, check=False)
        return parse(done.stdout) if done.returncode == 0 else done.stderr.strip()


@pytest.fixture(scope="module")
def controller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Controller]:
    folder = tmp_path_factory.mktemp("dc")
    script = Path(__file__).with_name("domain_controller.sh")
    isolated = ("setpriv", "--pdeathsig", "KILL", "unshare", "-m", "-n", "-p", "--fork", "--kill-child")
    with (folder.parent / "samba.log").open("w") as log:
        command = (*isolated, "bash", str(script), str(folder))
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout
    try:
        word, _, sid = process.stdout.readline().strip().partition(" ")
        assert word == "ready", (folder.parent / "samba.log").read_text()[-2000:]
        first = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
        yield Controller(folder, first, sid)
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(tmp_path_factory.mktemp("program"))


def test_people_have_the_ids_of_their_entries(controller: Controller, program: Path) -> None:
    found = controller.ask(controller.settings, program)
    assert isinstance(found, Document), found
    assert found.people == {"ada": Person(3001, "Ada Lovelace", gid=5000), "ben.bo": Person(3002, gid=5000)}
    assert found.groups == {"cfd": Group(5001, ("ada", "ben.bo")), ADMINS: Group(0, ("ben.bo",))}


def test_people_have_ids_of_their_security_identifiers(controller: Controller, program: Path) -> None:
    found = controller.ask(replace(controller.settings, domain_sid=controller.sid), program)
    assert isinstance(found, Document), found
    assert set(found.people) == {"ada", "ben.bo"}
    ids = [*(one.uid for one in found.people.values()), found.groups["cfd"].gid]
    assert len(set(ids)) == 3
    assert all(201000 < id < 202000 for id in ids)
    assert found.people["ada"].gid is None


def test_a_wrong_password_is_named_as_the_reason(controller: Controller, program: Path) -> None:
    said = controller.ask(controller.settings, program, "wrong")
    assert said == "ldaps://dc.example.org refuses bind_dn hpc@example.org, or its password"
