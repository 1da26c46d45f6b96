"""A folder of easyconfigs, whose files a description takes in."""

from pathlib import Path

import pytest

from hpc_components.spec.easyconfig_files import with_easyconfigs
from hpc_components.spec.project import easyconfig_files, open_stack_file
from hpc_components.spec.source import Document, UnreadableError

STACK = """config:
  hpc:cluster:
    software:
      easybuild: {install: [hello-1.0.eb], easyconfigs: recipes, files: {own.patch: "--- a"}}
"""


@pytest.fixture
def stack(tmp_path) -> Path:
    (tmp_path / "recipes").mkdir()
    (tmp_path / "recipes" / "hello-1.0.eb").write_text("name = 'hello'\n")
    (tmp_path / "recipes" / ".hidden").write_bytes(b"\xff")
    (tmp_path / "Pulumi.dev.yaml").write_text(STACK)
    return tmp_path / "Pulumi.dev.yaml"


def test_files_of_the_folder_stand_beside_those_of_the_description(stack):
    built = open_stack_file(stack).cluster.data["software"]["easybuild"]
    assert built == {
        "install": ["hello-1.0.eb"],
        "files": {"own.patch": "--- a", "hello-1.0.eb": "name = 'hello'\n"},
    }


def test_a_file_in_both_is_refused(stack):
    (stack.parent / "recipes" / "own.patch").write_text("--- b")
    with pytest.raises(UnreadableError, match=r"files has own\.patch too, which is in recipes") as error:
        _ = open_stack_file(stack).cluster
    assert error.value.at.line == 4


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UnreadableError, match=r"can't read .*recipes: No such file or directory"):
        easyconfig_files(tmp_path / "recipes")


def test_a_file_that_is_not_text_is_refused(stack):
    (stack.parent / "recipes" / "source.tar").write_bytes(b"\xff\xfe")
    with pytest.raises(UnreadableError, match="is not UTF-8 text"):
        _ = open_stack_file(stack).cluster


@pytest.mark.parametrize(
    "software", [None, [], {"easybuild": None}, {"easybuild": {"easyconfigs": 7}}, {"easybuild": {"files": 7}}]
)
def test_a_malformed_description_is_left_to_its_own_checks(software):
    document = Document("file", {"software": software})
    assert with_easyconfigs(document, lambda folder: {}) == document
