import os
from pathlib import Path

import pytest

from hpc_components.people.node.directories import make_directories
from hpc_components.people.node.document import Group

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give directories to groups")


def make(path: Path) -> tuple[str, ...]:
    return make_directories({"acme": Group(3101, ("ada",), str(path)), "cfd": Group(3001)})


def test_members_alone_share_the_directory(tmp_path: Path) -> None:
    path = tmp_path / "organizations" / "acme"
    assert make(path) == ()
    found = path.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o7777) == (0, 3101, 0o2770)
    assert path.parent.stat().st_mode & 0o7777 == 0o755


def test_a_directory_is_given_back_to_the_members_alone(tmp_path: Path) -> None:
    (tmp_path / "acme").mkdir(mode=0o777)
    (tmp_path / "acme" / "file").write_text("kept")
    assert make(tmp_path / "acme") == ()
    found = (tmp_path / "acme").stat()
    assert (found.st_gid, found.st_mode & 0o7777) == (3101, 0o2770)
    assert (tmp_path / "acme" / "file").read_text() == "kept"


def test_a_directory_of_someone_else_is_reported(tmp_path: Path) -> None:
    (tmp_path / "acme").mkdir()
    os.chown(tmp_path / "acme", 2001, 2001)
    (sentence,) = make(tmp_path / "acme")
    assert sentence.startswith(f"organization acme: {tmp_path}/acme belongs to id 2001")
    assert (tmp_path / "acme").stat().st_gid == 2001


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir(mode=0o700)
    (tmp_path / "acme").symlink_to(tmp_path / "secret")
    with pytest.raises(OSError, match="acme"):
        make(tmp_path / "acme")
    assert (tmp_path / "secret").stat().st_gid == 0
