"""A project whose stack files are not in its repository."""

from pathlib import Path

import pytest

from hpc_components.review.repository import SourceError
from hpc_components.review.sources import Source, reviews_of
from tests.repositories import git


@pytest.mark.parametrize("stacks", [[], ["dev"]])
def test_git_has_no_earlier_ones_to_compare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stacks: list[str]
) -> None:
    repository = tmp_path / "repository"
    (repository / "infra").mkdir(parents=True)
    (repository / "infra" / "Pulumi.yaml").write_text("name: x\nruntime: python\nstackConfigDir: ../../stacks\n")
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "Pulumi.dev.yaml").write_text("config: {}\n")
    git(repository, "init", "-q", "-b", "main")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "one")
    monkeypatch.chdir(repository / "infra")
    with pytest.raises(
        SourceError, match=r"outside the repository \(in \.\./\.\./stacks, relative to Pulumi\.yaml\)"
    ):
        reviews_of(Source.named("main"), Source.working_tree(), stacks)
