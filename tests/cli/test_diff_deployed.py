"""`hpc diff --pulumi` and `--state`: files that Pulumi's CLI has written."""

import json
from pathlib import Path

import pytest
from serving import serving

from tests.cli.running import ROOT, error, hpc
from tests.review.fake_github import FakeGitHub

DOCUMENTS = ROOT / "tests" / "review" / "engine" / "documents"
CHANGES = str(DOCUMENTS / "changes.json")
STATE = str(DOCUMENTS / "state.json")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A described cluster; no git."""
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "Pulumi.yaml").write_text("name: hpc\nruntime: python\n")
    (folder / "Pulumi.dev.yaml").write_text((ROOT / "stacks" / "config" / "Pulumi.aws-dev.yaml").read_text())
    return folder


def test_a_preview_is_reviewed_anywhere(tmp_path: Path) -> None:
    done = hpc("diff", "--pulumi", CHANGES, "--format", "json", "--fail-on", "data-loss", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "dev: the --fail-on condition `data-loss` holds\n")
    (review,) = json.loads(done.stdout)["reviews"]
    assert (review["project"], review["stack"], review["counts"]["replace"]) == ("sample", "dev", 3)
    assert review["before"] == {"source": "deployed", "commit": "", "option": ""}
    assert review["after"] == {"source": CHANGES, "commit": "", "option": "--pulumi"}
    assert [gap["part"] for gap in review["gaps"]] == ["description", "findings", "policies"]
    assert "[secret]" not in done.stdout


@pytest.mark.parametrize("name", ["only_changes.json", "events.jsonl"])
def test_a_condition_that_nobody_can_judge_is_not_passed(name: str, tmp_path: Path) -> None:
    done = hpc("diff", "--pulumi", str(DOCUMENTS / name), "--fail-on", "cost>20%", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "dev: the --fail-on condition `cost>20%` can't be evaluated, because the file lacks some resources"
    )


def test_a_failed_preview_is_reviewed_as_failed(tmp_path: Path) -> None:
    done = hpc("diff", "--pulumi", str(DOCUMENTS / "failed.json"), cwd=tmp_path)
    assert done.returncode == 2
    assert "this change could not be reviewed" in done.stdout


def test_of_a_named_stack_it_is_told_that_pulumi_wrote_nothing(project: Path, tmp_path: Path) -> None:
    """Else its comment would go on telling an earlier preview."""
    empty = tmp_path / "preview.json"
    empty.write_text("")
    done = hpc("diff", "--pulumi", str(empty), "dev", "--format", "json", cwd=project)
    (review,) = json.loads(done.stdout)["reviews"]
    assert (done.returncode, review["stack"], review["project"]) == (2, "dev", "hpc")
    assert "Pulumi failed before writing any output; see the error" in review["failure"]


def test_what_is_deployed_is_compared_with_the_working_tree(project: Path, tmp_path: Path) -> None:
    empty = tmp_path / "state.json"
    empty.write_text('{"version": 3, "deployment": {"manifest": {}}}')
    done = hpc("diff", "--state", str(empty), "dev", "--format", "json", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    (review,) = json.loads(done.stdout)["reviews"]
    assert (review["stack"], review["after"]["source"]) == ("dev", "working tree")
    assert review["counts"]["create"] == sum(review["counts"].values()) > 100


def test_a_failed_preview_takes_the_place_of_a_green_comment_and_of_no_other(tmp_path: Path) -> None:
    github = FakeGitHub()
    green = github.write("<!-- hpc-review: sample/dev -->\n## dev\n\nall is well")
    other = github.write("<!-- hpc-review: sample/prod -->\n## prod\n\nall is well")
    with serving(github.server()) as server:
        env = github.workflow(server, tmp_path)
        done = hpc("diff", "--pulumi", str(DOCUMENTS / "failed.json"), "--comment", cwd=tmp_path, env=env)
    assert (done.returncode, done.stderr) == (2, "wrote 1 comment on pull request 7 of acme/clusters\n")
    assert "could not be reviewed" in green["body"]
    assert "all is well" not in green["body"]
    assert "all is well" in other["body"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "specify what to compare: BASE (a git ref or a plan file), --pulumi FILE or --state FILE"),
        (("--pulumi", CHANGES, "main"), f"{CHANGES} belongs to the stack dev, not main; leave out main"),
        (
            ("--pulumi", CHANGES, "main", "--", "dev"),
            "--pulumi takes at most one STACK, because the file covers a single stack; le",
        ),
        (("--pulumi", CHANGES, "--state", STATE), "--pulumi and --state can't be combined; leave out one"),
        (("--pulumi", "none.json"), "none.json can't be read: No such file or directory; write one with `pulumi pre"),
        (
            ("--pulumi", STATE),
            f"{STATE} does not contain a Pulumi preview; the file is a state, so pass it with --state",
        ),
        (
            ("--state", CHANGES),
            f"{CHANGES} does not contain a stack state; write one with `pulumi stack export > FILE`",
        ),
        (
            ("--state", STATE, "dev", "more"),
            "--state takes at most one STACK, because the file covers a single stack; le",
        ),
        (
            ("--state", STATE),
            f"{STATE} belongs to the project sample, not hpc; run the command in the folder of the file's project",
        ),
        (("--state", STATE, "prod"), f"{STATE} belongs to the stack dev, not prod; leave out prod"),
        (("--state", "empty.json"), "empty.json has no resources, so its stack is unknown; specify"),
        (("--state", "empty.json", "ved"), "the project hpc has no file for the stack 'ved'; stacks are dev"),
    ],
)
def test_what_can_not_be_reviewed_is_one_sentence(project: Path, arguments: tuple[str, ...], said: str) -> None:
    (project / "empty.json").write_text('{"deployment": {}}')
    assert error("diff", *arguments, cwd=project).startswith(said)
