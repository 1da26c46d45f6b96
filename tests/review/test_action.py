"""The action for GitHub and the job for GitLab: what they have `hpc` compare, also where the base has moved on."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.cli.running import ROOT
from tests.repositories import git

ACTION = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"][1]["run"]
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
def test_inputs_become_words(server, inputs, words):
    told = {"BASE": "main", "STACKS": "", "FAIL_ON": "", **inputs}
    assert run(ACTION, cloned(server, "more", "--depth=1"), told).splitlines()[1] == words


@pytest.mark.parametrize("known", ["CI_MERGE_REQUEST_DIFF_BASE_SHA", "CI_MERGE_REQUEST_TARGET_BRANCH_SHA"])
def test_the_job_of_gitlab_compares_with_where_the_branch_began(server, known):
    told = {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", known: git(server, "rev-parse", "main~1")}
    said, _ = run("\n".join(JOB["script"]), cloned(server, "more", "--depth=1"), told).splitlines()
    assert said == f"diff origin/main {git(server, 'rev-parse', 'main~1')} ours"
