"""The keys by which compute nodes admit people."""

import os
import subprocess
from pathlib import Path

import pytest

from hpc_components.people.node.document import Person
from hpc_components.people.node.personal_keys import KEY, PUBLIC_KEY, make_keys

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to act as others")

ADA, BOB = Person(2001), Person(2002)
PEOPLE = {"ada": ADA, "bob": BOB}


@pytest.fixture
def homes(tmp_path: Path) -> Path:
    """Home directories as the head node makes them."""
    for folder in (tmp_path, *tmp_path.parents[:-1]):
        folder.chmod(folder.stat().st_mode | 0o011)
    for name, person in PEOPLE.items():
        (tmp_path / name).mkdir(mode=0o700)
        os.chown(tmp_path / name, person.uid, person.uid)
    return tmp_path


def ssh_folder(home: Path, owner: Person) -> Path:
    """A directory as users make it themselves."""
    folder = home / ".ssh"
    folder.mkdir(mode=0o700)
    os.chown(folder, owner.uid, owner.uid)
    return folder


def test_each_person_gets_a_key_that_only_they_can_read(homes: Path) -> None:
    assert make_keys(PEOPLE, homes) == ()
    for name, person in PEOPLE.items():
        home = homes / name
        said = subprocess.check_output(["ssh-keygen", "-y", "-f", home / KEY], text=True)
        assert said.split()[:2] == (home / PUBLIC_KEY).read_text().split()[:2]
        for path, mode in ((home / ".ssh", 0o700), (home / KEY, 0o600), (home / PUBLIC_KEY, 0o644)):
            found = path.stat()
            assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (person.uid, person.uid, mode), path
        assert {file.name for file in (home / ".ssh").iterdir()} == {"id_hpc", "id_hpc.pub"}
    assert (homes / "ada" / PUBLIC_KEY).read_text() != (homes / "bob" / PUBLIC_KEY).read_text()


def test_a_key_that_a_person_has_is_left_alone(homes: Path) -> None:
    ssh_folder(homes / "ada", ADA)
    (homes / "ada" / KEY).write_text("mine")
    assert make_keys({"ada": ADA}, homes) == ()
    assert (homes / "ada" / KEY).read_text() == "mine"
    assert not (homes / "ada" / PUBLIC_KEY).exists()


def test_a_key_that_was_removed_or_half_made_is_made_again(homes: Path) -> None:
    ssh_folder(homes / "ada", ADA)
    for left in (f"{KEY}.part", PUBLIC_KEY, f"{PUBLIC_KEY}.part"):
        (homes / "ada" / left).write_text("half")
        os.chown(homes / "ada" / left, ADA.uid, ADA.uid)
    assert make_keys({"ada": ADA}, homes) == ()
    assert (homes / "ada" / PUBLIC_KEY).read_text().startswith("ssh-ed25519 ")
    assert {file.name for file in (homes / "ada/.ssh").iterdir()} == {"id_hpc", "id_hpc.pub"}


def test_a_link_leads_only_where_its_owner_may_write(homes: Path) -> None:
    """Neither `~/.ssh` nor a file in it gives a person what belongs to someone else."""
    theirs, secret = ssh_folder(homes / "bob", BOB), homes / "secret"
    secret.write_text("root's")
    secret.chmod(0o600)
    (homes / "ada/.ssh").symlink_to(theirs)
    (sentence,) = make_keys({"ada": ADA}, homes)
    assert sentence.startswith("user ada: can't make an SSH key for compute nodes: ")
    assert not list(theirs.iterdir())
    (homes / "ada/.ssh").unlink()
    folder = ssh_folder(homes / "ada", ADA)
    for name in ("id_hpc.part", "id_hpc.pub", "id_hpc.pub.part"):
        (folder / name).symlink_to(secret)
        os.lchown(folder / name, ADA.uid, ADA.uid)
    assert make_keys({"ada": ADA}, homes) == ()
    assert secret.read_text() == "root's"
    assert secret.stat().st_uid == 0
    assert not any(file.is_symlink() for file in folder.iterdir())


def test_trouble_with_one_person_keeps_no_other_waiting(homes: Path) -> None:
    os.mkfifo(homes / "ada/.ssh")
    (sentence,) = make_keys(PEOPLE, homes)
    assert "ada" in sentence
    assert (homes / "bob" / KEY).exists()
    assert (os.geteuid(), os.getegid()) == (0, 0)
