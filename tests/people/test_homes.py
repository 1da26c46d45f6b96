import os
from pathlib import Path

import pytest

from hpc_components.people.node.document import Person
from hpc_components.people.node.homes import make_homes

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give directories to others")


@pytest.fixture
def skeleton(tmp_path: Path) -> Path:
    folder = tmp_path / "skel"
    (folder / ".config").mkdir(parents=True)
    (folder / ".config" / "rc").write_text("")
    (folder / ".profile").symlink_to(".config/rc")
    return folder


def test_a_home_belongs_to_its_person_alone(tmp_path: Path, skeleton: Path) -> None:
    homes = tmp_path / "home"
    homes.mkdir()
    assert make_homes({"ada": Person(2001)}, homes, skeleton) == ()
    assert [path.name for path in homes.iterdir()] == ["ada"]
    assert (homes / "ada").stat().st_mode & 0o777 == 0o700
    for path in (homes / "ada", *(homes / "ada").rglob("*")):
        assert (path.lstat().st_uid, path.lstat().st_gid) == (2001, 2001), path


def test_an_existing_home_is_left_alone(tmp_path: Path, skeleton: Path) -> None:
    (tmp_path / "ada").mkdir(mode=0o755)
    os.chown(tmp_path / "ada", 2001, 2001)
    assert make_homes({"ada": Person(2001)}, tmp_path, skeleton) == ()
    assert not list((tmp_path / "ada").iterdir())


def test_a_home_of_someone_else_is_reported(tmp_path: Path, skeleton: Path) -> None:
    (tmp_path / "ada").mkdir()
    (sentence,) = make_homes({"ada": Person(2001)}, tmp_path, skeleton)
    assert sentence.startswith(f"user ada: {tmp_path}/ada belongs to id 0 instead of 2001")
    assert (tmp_path / "ada").stat().st_uid == 0


def test_an_interrupted_home_is_made_again(tmp_path: Path, skeleton: Path) -> None:
    (tmp_path / ".ada.new").mkdir()
    (tmp_path / ".ada.new" / "half").write_text("")
    make_homes({"ada": Person(2001)}, tmp_path, skeleton)
    assert not (tmp_path / "ada" / "half").exists()
    assert (tmp_path / "ada" / ".config" / "rc").is_file()
