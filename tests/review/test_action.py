"""The action for GitHub and the job for GitLab: what they have `hpc` compare, also where the base has moved on."""

import os
import re
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.cli.running import ROOT
from tests.repositories import git

STEPS = {each["name"]: each for each in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]}
ACTION, INSTALL = STEPS["Review"]["run"], STEPS["Install hpc"]["run"]
(JOB,) = yaml.safe_load((ROOT / "templates/hpc-diff.gitlab-ci.yml").read_text()).values()

HPC = """#!/bin/sh
echo "$1 $2 $(git rev-parse "$2") $(git diff --name-only "$2")"
shift 2
echo "$*"
"""
"""In place of `hpc diff BASE`: tells its base, and which files differ from that; then its other words."""


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """`more` begins at the first commit of `main`, which has another since; `merged` is both as of before that."""
    folder = tmp_path / "server"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-qm", "nothing", "--allow-empty")
    git(folder, "checkout", "-qb", "more")
    (folder / "ours").write_text("")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "ours")
    git(folder, "checkout", "-qb", "merged", "main")
    git(folder, "merge", "-q", "--no-ff", "-m", "merged", "more")
    git(folder, "checkout", "-q", "main")
    (folder / "theirs").write_text("")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "theirs")
    return folder


def cloned(server: Path, branch: str, *how: str) -> Path:
    """What a job sees."""
    clone = server.parent / "clusters"
    git(server.parent, "clone", "-q", "--single-branch", f"--branch={branch}", *how, f"file://{server}", clone.name)
    return clone


def run(script: str, clone: Path, told: Mapping[str, str]) -> str:
    """What `hpc` says, run as runners do: by a bash that ends at the first failing command."""
    (clone.parent / "hpc").write_text(HPC)
    (clone.parent / "hpc").chmod(0o755)
    env = os.environ | told | {"PATH": f"{clone.parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script], cwd=clone, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


PIP = """#!/bin/sh
echo "pip $*"
"""
PYTHON = """#!/bin/sh
mkdir -p "$3/bin"
cp "$(dirname "$0")/pip" "$3/bin/pip"
"""
"""In place of a Python that can make environments."""


def installed(folder: Path, script: str, **told: str) -> subprocess.CompletedProcess[str]:
    """What is installed, run as runners do, in the folder of a project."""
    for name, text in {"pip": PIP, "python": PYTHON}.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    env = os.environ | told | {"PATH": f"{folder}:{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(("requirements", "is_there"), [("requirements.txt", True), ("requirements.txt", False)])
def test_the_action_installs_the_requirements_of_the_project(
    tmp_path: Path, requirements: str, is_there: bool
) -> None:
    if is_there:
        (tmp_path / requirements).write_text("our-clusters==1.0\n")
    told = {
        "CLOUDS": "aws,gcp", "REQUIREMENTS": requirements, "PYTHON": str(tmp_path / "python"),
        "RUNNER_TEMP": str(tmp_path), "GITHUB_ACTION_PATH": "/action", "GITHUB_PATH": str(tmp_path / "path"),
    }  # fmt: skip
    done = installed(tmp_path, INSTALL, **told)
    own = ["pip install --quiet -r requirements.txt"] if is_there else []
    assert (done.returncode, done.stdout.splitlines()) == (0, [*own, "pip install --quiet /action[aws,gcp]"])
    assert (tmp_path / "path").read_text() == f"{tmp_path}/hpc/bin\n"


def test_the_action_says_that_a_named_file_is_not_there(tmp_path: Path) -> None:
    told = {"REQUIREMENTS": "more.txt", "PYTHON": str(tmp_path / "python"), "RUNNER_TEMP": str(tmp_path)}
    done = installed(tmp_path, INSTALL, **told)
    assert done.returncode == 1
    assert "there is no file more.txt (input requirements)" in done.stdout


def test_the_action_brings_its_python_and_names_other_actions_by_commit() -> None:
    used = [each["uses"] for each in STEPS.values() if "uses" in each]
    assert [each.partition("@")[0] for each in used] == ["actions/setup-python", "actions/cache"]
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", each) for each in used)


def test_the_job_of_gitlab_installs_the_release_of_its_file(tmp_path: Path) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    (tmp_path / "requirements.txt").write_text("our-clusters==1.0\n")
    done = installed(tmp_path, "\n".join(JOB["before_script"]), **JOB["variables"])
    assert done.stdout.splitlines() == [
        "pip install --quiet -r requirements.txt",
        f"pip install --quiet hpc-components[aws]=={version}",
    ]


def reviewed(clone: Path, **told: str) -> str:
    """What the action has `hpc` compare, in a job for a pull request into `main`."""
    inputs = {"BASE": "main", "STACKS": "", "FAIL_ON": "", "GITHUB_BASE_REF": "main", **told}
    return run(ACTION, clone, inputs).splitlines()[0]


@pytest.mark.parametrize("how", [["--depth=1"], []], ids=["shallow", "whole"])
def test_the_action_compares_with_what_the_change_was_merged_into(server, how):
    clone = cloned(server, "merged", *how)
    told = reviewed(clone, GITHUB_REF="refs/pull/7/merge", GITHUB_SHA=git(clone, "rev-parse", "HEAD"))
    assert told == f"diff origin/main {git(server, 'rev-parse', 'main~1')} ours"


@pytest.mark.parametrize(
    "other", [{"GITHUB_SHA": "0" * 40}, {"GITHUB_REF": "refs/heads/more"}, {"GITHUB_BASE_REF": "release"}]
)
def test_of_what_was_checked_out_otherwise_the_action_does_not_guess_it(server, other):
    clone = cloned(server, "merged", "--depth=1")
    told = {"GITHUB_REF": "refs/pull/7/merge", "GITHUB_SHA": git(clone, "rev-parse", "HEAD")}
    assert reviewed(clone, **told | other).split()[2] == git(server, "rev-parse", "main")


def test_the_action_leaves_a_whole_clone_whole(server):
    clone = cloned(server, "more")
    reviewed(clone)
    assert git(clone, "rev-parse", "--is-shallow-repository") == "false"


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({}, "--comment --"),
        ({"STACKS": " dev  prod "}, "--comment -- dev prod"),
        ({"STACKS": "dev\nprod\n", "FAIL_ON": "cost > 5"}, "--comment --fail-on cost > 5 -- dev prod"),
    ],
)
def test_inputs_become_words_of_the_command(server, inputs, words):
    told = {"BASE": "main", "STACKS": "", "FAIL_ON": "", **inputs}
    assert run(ACTION, cloned(server, "more", "--depth=1"), told).splitlines()[1] == words


@pytest.mark.parametrize("known", ["CI_MERGE_REQUEST_DIFF_BASE_SHA", "CI_MERGE_REQUEST_TARGET_BRANCH_SHA"])
def test_the_job_of_gitlab_compares_with_where_the_branch_began(server, known):
    told = {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", known: git(server, "rev-parse", "main~1")}
    said, _ = run("\n".join(JOB["script"]), cloned(server, "more", "--depth=1"), told).splitlines()
    assert said == f"diff origin/main {git(server, 'rev-parse', 'main~1')} ours"
