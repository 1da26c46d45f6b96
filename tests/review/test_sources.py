"""What is compared: refs of small git repositories, plan files and the working tree."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hpc_components.review.repository import SourceError, find_repository
from hpc_components.review.sources import Source, head_and_stacks, reviews_of

PROGRAM = """\
import pulumi
import pulumi_aws as aws
from size import SIZE

aws.ebs.Volume("disk", availability_zone="us-east-2b", size=SIZE, type="gp3", tags={"stack": pulumi.get_stack()})
"""


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """`git` in a repository of its own, which is the current directory; the branch is `main`."""
    monkeypatch.chdir(tmp_path)
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(name, "ada@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")

    def run(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    run("init", "-q", "-b", "main")
    return run


@pytest.fixture
def project(tmp_path: Path, git: Callable[..., str]) -> Path:
    """Two stacks whose program makes a disk, committed, in a folder of the repository."""
    folder = tmp_path / "infra"
    (folder / "program").mkdir(parents=True)
    (folder / "Pulumi.yaml").write_text("name: own\nruntime: python\nmain: program\n")
    (folder / "program" / "__main__.py").write_text(PROGRAM)
    (folder / "program" / "size.py").write_text("SIZE = 1\n")
    for stack in ("dev", "prod"):
        (folder / f"Pulumi.{stack}.yaml").write_text("config: {aws:region: us-east-2}\n")
    git("add", "-A")
    git("commit", "-qm", "one")
    return folder


@pytest.fixture
def inside(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, which is the current directory."""
    monkeypatch.chdir(project)
    return project


def planned(*names: str, stacks: tuple[str, ...] = ()) -> dict[str, tuple[str, list[tuple[str, str]]]]:
    """By stack: why it failed, and the changes with their reasons."""
    before, *after = map(Source.named, names)
    reviews = reviews_of(before, after[0] if after else Source.working_tree(), stacks)
    return {
        each.stack: (each.failure, [(str(change.operation), change.name) for change in each.changes])
        for each in reviews
    }


def test_each_side_runs_its_own_program(inside: Path, git: Callable[..., str]) -> None:
    first = git("rev-parse", "HEAD")
    (inside / "program" / "size.py").write_text("SIZE = 2\n")
    git("commit", "-qam", "two")
    (inside / "program" / "size.py").write_text("SIZE = 2\n# nobody changed it\n")
    disk = ("", [("update", "disk")])
    assert planned(first, "main") == {"dev": disk, "prod": disk}
    assert planned("main") == {"dev": ("", []), "prod": ("", [])}
    assert planned("HEAD~1", stacks=("prod",)) == {"prod": disk}
    assert git("worktree", "list").count("\n") == 0
    assert git("status", "--porcelain") == "M infra/program/size.py"


def test_only_stacks_whose_file_differs_are_planned_if_no_other_file_does(inside: Path) -> None:
    for stack in ("new", "prod"):
        (inside / f"Pulumi.{stack}.yaml").write_text("config: {aws:region: us-east-1}\n")
    assert set(planned("main")) == {"new", "prod"}


def test_a_new_or_vanished_stack_is_found(inside: Path) -> None:
    (inside / "Pulumi.dev.yaml").rename(inside / "Pulumi.new.yaml")
    assert planned("main") == {"dev": ("", [("delete", "disk")]), "new": ("", [("create", "disk")])}


def test_a_program_that_fails_is_told_with_its_side(inside: Path) -> None:
    (inside / "program" / "size.py").write_text("SIZE = 1 / 0\n")
    failure, changes = planned("main", stacks=("dev",))["dev"]
    assert changes == []
    assert failure.startswith("working tree can't be planned: the program for dev failed: program/size.py:1: ")
    assert "ZeroDivisionError" in failure


def test_no_program_gets_the_token_that_writes_comments(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghs_secret")
    monkeypatch.setenv("SIZE", "2")
    (inside / "program" / "size.py").write_text(
        "import os\nassert 'GITHUB_TOKEN' not in os.environ\nSIZE = int(os.environ['SIZE'])\n"
    )
    assert planned("main", stacks=("dev",)) == {"dev": ("", [("update", "disk")])}


def test_plan_files_can_be_compared_with_refs_and_the_working_tree(inside: Path) -> None:
    from hpc_components.preview.stack import plan_stack
    from hpc_components.spec.project import find_project

    plan = plan_stack(find_project(inside), "dev").plan
    assert plan
    (inside / "then.json").write_text(plan.to_json())
    # of another length: Python takes bytecode of the same second for that of this text
    (inside / "program" / "size.py").write_text("SIZE = 20\n")
    disk = {"dev": ("", [("update", "disk")])}
    assert planned("then.json", "then.json") == {"dev": ("", [])}
    assert planned("then.json", "main") == {"dev": ("", [])}
    assert planned("then.json") == disk
    with pytest.raises(SourceError, match="the plan file is for stack dev, not prod"):
        planned("then.json", stacks=("prod",))
    with pytest.raises(SourceError, match=r"now\.json can't be read: No such file"):
        planned("then.json", "now.json")


def test_what_is_not_there_is_refused_with_the_way_out(
    inside: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with pytest.raises(SourceError, match=r"no commit, branch or tag 'mian' .*; did you mean main"):
        planned("mian")
    with pytest.raises(SourceError, match="no stack 'prd' on either side; did you mean prod"):
        planned("main", stacks=("prd",))
    with pytest.raises(SourceError, match=r"not in a git repository.* compare plan files instead"):
        find_repository(tmp_path_factory.mktemp("elsewhere"))


@pytest.mark.parametrize(
    ("words", "after_dashes", "expected"),
    [
        ([], None, (None, [])),
        (["topic"], None, ("topic", [])),
        (["dev"], None, (None, ["dev"])),
        (["topic", "dev", "prod"], None, ("topic", ["dev", "prod"])),
        (["typo"], None, (None, ["typo"])),
        (["x.json", "dev"], None, ("x.json", ["dev"])),
        ([], ["prod"], (None, ["prod"])),
        (["prod"], [], ("prod", [])),
    ],
)
def test_a_word_is_a_ref_or_a_stack(
    inside: Path,
    git: Callable[..., str],
    words: list[str],
    after_dashes: list[str] | None,
    expected: tuple[str | None, list[str]],
) -> None:
    git("branch", "topic")
    git("branch", "prod")
    assert head_and_stacks(words, after_dashes) == expected


def test_a_word_that_is_both_needs_dashes(inside: Path, git: Callable[..., str]) -> None:
    git("branch", "prod")
    with pytest.raises(SourceError, match="'prod' is both a ref and a stack; put -- before the stacks"):
        head_and_stacks(["prod"], None)
    with pytest.raises(SourceError, match="only BASE and HEAD may come before --"):
        head_and_stacks(["main", "dev"], [])


@pytest.mark.parametrize(("free", "tmpdir"), [(2**40, ""), (2**26, ""), (2**40, "mine")])
def test_copies_are_made_in_memory_if_there_is_room_and_nobody_names_a_place(
    free: int, tmpdir: str, inside: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.delenv("TMPDIR", raising=False)
    if tmpdir:
        (tmp_path / tmpdir).mkdir()
        monkeypatch.setenv("TMPDIR", str(tmp_path / tmpdir))
    repository = find_repository(inside)
    with repository.checked_out(repository.commit("main") or "") as tree:
        top = tree.parents[1]
        assert (tree / "infra" / "Pulumi.yaml").is_file()
    in_memory = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())
    assert top == (tmp_path / tmpdir if tmpdir else in_memory if free > 2**30 else Path(tempfile.gettempdir()))
    assert not tree.parent.exists()
