"""A repository that belongs to another user, as in the container of a workflow."""

from pathlib import Path

import pytest

from hpc_components.review.repository import SourceError, find_repository
from tests.repositories import git


def test_what_git_does_not_trust_is_told_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "infra").mkdir()
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(SourceError) as refused:
        find_repository(tmp_path / "infra")
    assert str(refused.value).endswith(f"run `git config --global --add safe.directory {tmp_path}`")
