"""`hpc diff`, in a git repository with a described cluster."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.running import HPC, ROOT, error, hpc
from tests.processes import started
from tests.repositories import git

STACK = (ROOT / "stacks" / "config" / "Pulumi.aws-dev.yaml").read_text()


def diff(repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`hpc diff` there. It plans in further processes, which takes a busy machine a while."""
    command = [HPC, "diff", *arguments]
    return subprocess.run(command, cwd=repository, capture_output=True, text=True, timeout=600, check=False)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cluster on `main`, and on the branch `more` with another maximum; `more` is checked out."""
    folder = tmp_path_factory.mktemp("clusters")
    (folder / "Pulumi.yaml").write_text("name: clusters\nruntime: python\n")
    (folder / "Pulumi.dev.yaml").write_text(STACK)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a cluster")
    git(folder, "checkout", "-qb", "more")
    assert STACK.count("max: 4") == 1
    (folder / "Pulumi.dev.yaml").write_text(STACK.replace("max: 4", "max: 6"))
    git(folder, "commit", "-qam", "more nodes")
    return folder


def test_a_commit_is_reviewed(repository: Path) -> None:
    done = diff(repository, "main", "--format", "json", "--fail-on", "data-loss,cost>10%")
    assert (done.returncode, done.stderr) == (1, "dev: the --fail-on condition `cost>10%` holds\n")
    (review,) = json.loads(done.stdout)["reviews"]
    assert (review["stack"], review["project"], review["failure"]) == ("dev", "clusters", "")
    assert review["before"] == {"source": "main", "commit": git(repository, "rev-parse", "main"), "option": ""}
    assert review["after"] == {"source": "working tree", "commit": "", "option": ""}
    (line,) = review["description"]
    assert (line["path"], line["before"], line["after"]) == ("queues[0].max", 4, 6)
    assert review["worst"] == "slurmctld_restarts"
    assert (review["counts"]["replace"], review["counts"]["delete"]) == (0, 0)
    assert git(repository, "status", "--porcelain") == ""
    assert git(repository, "worktree", "list").count("\n") == 0


def test_it_is_told_in_each_format(repository: Path, tmp_path: Path) -> None:
    text = diff(repository, "main", "more")
    assert (text.returncode, text.stderr) == (0, "")
    assert "\nslurmctld rereads its configuration: " in text.stdout
    assert "\nqueues[0].max: 4 → 6" in text.stdout
    assert "\x1b" not in text.stdout
    plans = tuple(str(plan_of(branch, repository, tmp_path / branch)) for branch in ("main", "more"))
    markdown = hpc("diff", *plans, "--format", "markdown", "--out", "comment.md", cwd=tmp_path)
    assert (markdown.returncode, markdown.stdout, markdown.stderr) == (0, "", "wrote comment.md\n")
    assert (tmp_path / "comment.md").read_text().startswith("<!-- hpc-review: clusters/dev -->\n")
    page = hpc("diff", *plans, "--format", "html", cwd=tmp_path)
    assert page.stdout.startswith("<!doctype html>")


def plan_of(branch: str, repository: Path, folder: Path) -> Path:
    """The file of the plan of the cluster on this branch, in a folder that is made."""
    git(repository, "clone", "-q", f"--branch={branch}", str(repository), str(folder))
    assert hpc("preview", "dev", "--format", "json", "--out", "plan.json", cwd=folder).returncode == 0
    return folder / "plan.json"


def test_stacks_that_do_not_differ_are_told_so(repository: Path) -> None:
    done = diff(repository, "more")
    assert (done.returncode, done.stdout, done.stderr) == (0, "No stack changes.\n", "")


def test_a_description_with_errors_is_a_review_that_says_so(repository: Path) -> None:
    (repository / "Pulumi.dev.yaml").write_text(STACK.replace("max: 4", "max: -4"))
    try:
        done = diff(repository, "main")
    finally:
        git(repository, "checkout", "-q", "Pulumi.dev.yaml")
    assert done.returncode == 2
    assert "this change could not be reviewed" in done.stdout
    assert "working tree can't be planned: Pulumi.dev.yaml:" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("mian",), "there is no commit, branch or tag 'mian' in "),
        (("main", "ved"), "there is no stack 'ved' on either side; stacks are dev"),
        (("main", "--fail-on", "all"), "'all' is not a condition for --fail-on; use destroy, "),
        (("none.json",), "none.json can't be read: No such file or directory; specify a plan file or a git ref"),
        (("Pulumi.yaml.json",), "Pulumi.yaml.json can't be read"),
    ],
)
def test_what_can_not_be_compared_is_one_sentence(repository: Path, arguments: tuple[str, ...], said: str) -> None:
    assert error("diff", *arguments, cwd=repository).startswith(said)


def test_outside_of_a_repository_refs_are_refused(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: x\nruntime: python\n")
    assert "is not in a git repository" in error("diff", "main", cwd=tmp_path)


ENDLESS = """\
import os, time
from pathlib import Path

Path(os.environ["BEGUN"]).write_text(str(os.getpid()))
time.sleep(1000)
"""


def test_ctrl_c_leaves_no_process_and_no_copy(repository: Path, tmp_path: Path) -> None:
    clone, copies, begun = (tmp_path / name for name in ("clone", "copies", "begun"))
    git(tmp_path, "clone", "-q", str(repository), str(clone))
    (clone / "__main__.py").write_text(ENDLESS)
    copies.mkdir()
    env = os.environ | {"TMPDIR": str(copies), "BEGUN": str(begun)}
    command = ["env", "--default-signal=INT", HPC, "diff", "HEAD"]
    with started(
        command, cwd=clone, env=env, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        while not (begun.exists() and begun.read_text()):
            assert process.poll() is None
            time.sleep(0.05)
        assert list(copies.iterdir())
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "interrupted\n")
    assert list(copies.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(begun.read_text()), 0)
