from pathlib import Path

import pytest

from hpc_components.people.node.document import Person
from hpc_components.people.node.name_service import Places, make_known, without_conflicts

from .samples import KEY, document


@pytest.fixture
def places(tmp_path: Path) -> Places:
    system = tmp_path / "etc"
    system.mkdir()
    (system / "passwd").write_text("root:x:0:0::/root:/bin/bash\nubuntu:x:1000:1000::/home/ubuntu:/bin/bash\n")
    (system / "shadow").write_text("")
    return Places(tmp_path / "extrausers", tmp_path / "keys", system)


def test_tables_and_keys_are_written_for_everyone(places: Places) -> None:
    assert make_known(document(ada=Person(2001, keys=(KEY, KEY)), bob=Person(2002)), places)
    assert (places.keys / "ada").read_text() == f"{KEY}\n{KEY}\n"
    assert sorted(file.name for file in places.keys.iterdir()) == ["ada"]
    modes = {file.name: oct(file.stat().st_mode & 0o777) for file in places.tables.iterdir()}
    assert modes == {"passwd": "0o644", "group": "0o644", "shadow": "0o640"}


def test_a_name_service_without_shadow_has_two_tables(places: Places) -> None:
    bare = Places(places.tables, places.keys, places.system, shadow=False)
    assert make_known(document(ada=Person(2001)), bare)
    assert sorted(file.name for file in bare.tables.iterdir()) == ["group", "passwd"]
    assert (bare.tables / "passwd").read_text().startswith("ada:*:2001:")


def test_the_boot_says_where_the_name_service_looks(tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    assert Places.here(environment) == Places()
    environment.write_text("HPC_ROLE=login\nHPC_NAME_SERVICE=extrausers\n")
    assert Places.here(environment) == Places()
    environment.write_text("HPC_ROLE=login\nHPC_NAME_SERVICE=altfiles\n")
    assert Places.here(environment) == Places(Path("/usr/lib"), shadow=False)


def test_the_same_document_changes_nothing(places: Places) -> None:
    make_known(document(ada=Person(2001, keys=(KEY,))), places)
    assert not make_known(document(ada=Person(2001, keys=(KEY,))), places)


def test_keys_of_others_are_removed(places: Places) -> None:
    make_known(document(ada=Person(2001, keys=(KEY,)), bob=Person(2002, keys=(KEY,))), places)
    assert make_known(document({2001: "ada"}, bob=Person(2002)), places)
    assert not list(places.keys.iterdir())


@pytest.mark.parametrize(("name", "uid"), [("ubuntu", 2001), ("ada", 1000)])
def test_someone_like_a_user_of_the_image_is_left_out(places: Places, name: str, uid: int) -> None:
    described = document({1000: "zoe", 2005: "eve"}, **{name: Person(uid), "bob": Person(2002)})
    fit, conflicts = without_conflicts(described, places)
    assert set(fit.people) == {"bob"}
    assert fit.groups["cfd"].members == ("bob",)
    assert fit.former == {2005: "eve"}, "processes of the image's own user are not ended"
    assert [each.split(": ")[:2] for each in conflicts] == [
        [f"user {name}", "/etc/passwd of this node has user ubuntu with id 1000"]
    ]
