"""`STACK:path` as in scp, for all texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.operate.remote_path import RemotePath, copy_ends, parse_path
from hpc_components.operate.ways import ReachError

STACKS = st.text(st.characters(exclude_characters=":/", exclude_categories=["Cs", "Cc"]), min_size=1)


@given(STACKS, st.text())
def test_a_colon_without_a_slash_before_it_is_a_cluster_s(stack: str, path: str) -> None:
    assert parse_path(f"{stack}:{path}") == RemotePath(stack, path)


@given(st.text())
def test_every_path_of_this_machine_can_be_written(path: str) -> None:
    assert parse_path(f"./{path}") == f"./{path}"
    assert parse_path(f"/{path}") == f"/{path}"
    if ":" not in path:
        assert parse_path(path) == path


@given(STACKS, st.text(), st.text(st.characters(exclude_characters=":")))
def test_one_end_of_a_copy_is_on_a_cluster(stack: str, path: str, local: str) -> None:
    assert copy_ends(local, f"{stack}:{path}") == (stack, local, path, True)
    assert copy_ends(f"{stack}:{path}", local) == (stack, path, local, False)


@pytest.mark.parametrize(
    ("source", "destination", "said"),
    [
        ("a:x", "b:y", "both paths are on a cluster"),
        ("x", "./b:y", "neither path is on a cluster"),
        (":x", "y", "names no stack before the colon"),
    ],
)
def test_other_copies_are_refused(source: str, destination: str, said: str) -> None:
    with pytest.raises(ReachError, match=said):
        copy_ends(source, destination)
