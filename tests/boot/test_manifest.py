import hashlib
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.boot.manifest import check_files, check_path, manifest

PATHS = st.from_regex(r"[a-z]{1,5}(/[a-z][a-z.]{0,4})?", fullmatch=True)


def test_the_manifest_is_what_sha256sum_prints() -> None:
    assert manifest({"b": "2", "a": "1"}) == (
        "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b  a\n"
        "d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35  b\n"
    )
    assert manifest({}) == ""


def test_sha256sum_agrees_with_the_manifest(tmp_path: Path) -> None:
    files = {"boot/head.sh": "#!/bin/bash\necho Zürich\n", "common/empty": ""}
    for path, text in files.items():
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).write_text(text, encoding="utf-8")
    subprocess.run(["sha256sum", "--status", "-c"], input=manifest(files), text=True, cwd=tmp_path, check=True)


@given(st.dictionaries(PATHS, st.text(), max_size=5))
def test_each_file_has_a_line_by_path(files: dict[str, str]) -> None:
    lines = [line.split("  ") for line in manifest(files).splitlines()]
    assert [path for _, path in lines] == sorted(files)
    assert all(hashlib.sha256(files[path].encode()).hexdigest() == digest for digest, path in lines)


@given(st.text(max_size=12))
def test_a_path_needs_no_encoding_and_stays_below_the_directory(path: str) -> None:
    try:
        check_path(path)
    except ValueError as error:
        assert repr(path) in str(error)  # noqa: PT017
    else:
        assert re.fullmatch(r"[\w./-]+", path, re.ASCII)
        assert ".." not in path, "the stub refuses it"
        assert not path.startswith("/")


@pytest.mark.parametrize(
    "path", ["", "manifest", "/etc/passwd", "a//b", "a/", "../a", "a/../b", "a/.b", "a..b", "a b", "a\nb", "a\n", "é"]
)
def test_a_wrong_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="is not a valid file path"):
        check_path(path)


@pytest.mark.parametrize("path", ["boot/head.sh", "common/cluster.json", "head/slurm-23.11_x.conf", "a"])
def test_a_right_path_is_accepted(path: str) -> None:
    check_path(path)


def test_files_of_another_cluster_than_the_tags_are_refused() -> None:
    files = {"head/elastic.json": '{"cluster": "cfd"}', "boot/head.sh": "true"}
    check_files("Args.files", files, "cfd", may_be_empty=False)
    check_files("Args.files", {**files, "head/elastic.json": object()}, "prod", may_be_empty=False)
    with pytest.raises(
        ValueError, match=r"^Args\.files: head/elastic\.json is for cluster 'cfd'.*tags=Tags\('cfd'\)$"
    ):
        check_files("Args.files", files, "prod", may_be_empty=False)


def test_an_empty_file_is_refused_where_it_cannot_be_stored() -> None:
    check_files("Args.files", {"a": ""}, "cfd", may_be_empty=True)
    with pytest.raises(ValueError, match=r"^Args\.files: a is empty"):
        check_files("Args.files", {"a": ""}, "cfd", may_be_empty=False)
