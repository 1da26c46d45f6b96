"""The action for GitHub, the job for GitLab and the hook of pre-commit: their own commands, run here."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from serving import serving

from tests.cli.running import HPC, ROOT
from tests.repositories import git
from tests.review.fake_github import FakeGitHub

pytestmark = pytest.mark.slow

STACK = (ROOT / "stacks/config/Pulumi.aws-dev.yaml").read_text()


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a job sees: a shallow clone with the change alone; `main` is on the server."""
    server, clone = tmp_path_factory.mktemp("server"), tmp_path_factory.mktemp("job") / "clusters"
    (server / "Pulumi.yaml").write_text("name: clusters\nruntime: python\n")
    (server / "Pulumi.dev.yaml").write_text(STACK)
    git(server, "init", "-q", "-b", "main")
    git(server, "add", "-A")
    git(server, "commit", "-qm", "a cluster")
    git(server, "checkout", "-qb", "more")
    (server / "Pulumi.dev.yaml").write_text(STACK.replace("max: 4", "max: 6"))
    git(server, "commit", "-qam", "more nodes")
    git(clone.parent, "clone", "-q", "--depth=1", "--branch=more", f"file://{server}", clone.name)
    return clone


def run(script: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """As runners do: bash that ends at the first failing command."""
    env = os.environ | environment | {"PATH": f"{Path(HPC).parent}:{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


@pytest.fixture
def job(tmp_path: Path) -> Iterator[tuple[FakeGitHub, dict[str, str]]]:
    """GitHub, and the environment of a job of pull request 7."""
    github = FakeGitHub()
    with serving(github.server()) as server:
        yield github, github.workflow(server, tmp_path)


ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}


def test_the_action_writes_one_comment_and_fails_on_what_it_is_told_to(checkout, job):
    github, environment = job
    review = STEPS["Review"]
    inputs = {"BASE": "main", "STACKS": "", "FAIL_ON": "cost>10%"}
    assert inputs.keys() | {"GITHUB_TOKEN"} == review["env"].keys()
    done = run(review["run"], checkout, **environment, **inputs)
    assert done.returncode == 1
    assert "the --fail-on condition `cost>10%` holds" in done.stderr
    assert "wrote 1 comment on pull request 7" in done.stderr
    assert len(github.comments) == 1, "the comment says why"

    done = run(review["run"], checkout, **environment, **inputs | {"STACKS": "dev", "FAIL_ON": ""})
    assert done.returncode == 0, done.stderr
    assert "wrote 1 comment on pull request 7" in done.stderr
    (comment,) = github.comments
    assert comment["body"].startswith("<!-- hpc-review: clusters/dev -->\n## dev\n")
    assert "`queues[0].max`: `4` → `6`" in comment["body"]


def test_inputs_reach_the_shell_as_values_only():
    for step in STEPS.values():
        assert "${{" not in step.get("run", "")
        assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step.get("uses", f"actions/none@{'0' * 40}")), (
            "actions of others are pinned by their commit"
        )
    given = set(re.findall(r"inputs\.([\w-]+)", json.dumps(ACTION["runs"])))
    assert given == set(ACTION["inputs"])


def test_it_installs_hpc_for_the_clouds_that_are_named(tmp_path):
    install = STEPS["Install hpc"]
    pip = tmp_path / "pip"  # python -m venv makes it
    pip.write_text('#!/bin/sh\necho "$@" >"$LOG"\n')
    pip.chmod(0o755)
    (tmp_path / "python3").write_text(f'#!/bin/sh\nmkdir -p "$3/bin"; cp {pip} "$3/bin/pip"\n')
    (tmp_path / "python3").chmod(0o755)
    given = {"PYTHON": str(tmp_path / "python3"), "REQUIREMENTS": "requirements.txt"}
    paths = {"GITHUB_ACTION_PATH": "/action", "GITHUB_PATH": str(tmp_path / "path"), "LOG": str(tmp_path / "log")}
    done = run(install["run"], tmp_path, CLOUDS="aws,gcp", RUNNER_TEMP=str(tmp_path), **given, **paths)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "log").read_text() == "install --quiet /action[aws,gcp]\n"
    assert (tmp_path / "path").read_text() == f"{tmp_path}/hpc/bin\n"


def test_the_job_of_gitlab_keeps_a_page(checkout):
    (job,) = yaml.safe_load((ROOT / "templates/hpc-diff.gitlab-ci.yml").read_text()).values()
    told = {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "HPC_FAIL_ON": "cost>10%"}
    done = run("\n".join(job["script"]), checkout, **told)
    assert done.returncode == 1, done.stderr
    assert "the --fail-on condition `cost>10%` holds" in done.stderr
    (page,) = job["artifacts"]["paths"]
    text = (checkout / page).read_text()
    (checkout / page).unlink()
    assert "queues[0].max" in text


def test_the_hook_judges_stack_files(tmp_path):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    files = ["Pulumi.yaml", "Pulumi.dev.yaml", "infra/Pulumi.prod.yaml", "docs/Pulumi.md", "xPulumi.dev.yaml"]
    assert [file for file in files if re.search(hook["files"], file)] == files[1:3]
    (tmp_path / "Pulumi.yaml").write_text("name: clusters\nruntime: python\n")
    (tmp_path / "Pulumi.dev.yaml").write_text(STACK.replace("max: 4", "max: -4"))
    done = run(f"{hook['entry']} Pulumi.dev.yaml", tmp_path)
    assert done.returncode == 1
    assert "queues[0].max" in done.stdout


def test_the_hook_passes_over_stack_files_of_other_programs(tmp_path):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    (tmp_path / "Pulumi.web.yaml").write_text("config: {aws:region: us-east-2}\n")
    (tmp_path / "Pulumi.new.yaml").write_text("encryptionsalt: v1:abc\n")
    done = run(f"{hook['entry']} Pulumi.web.yaml Pulumi.new.yaml", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (tmp_path / "Pulumi.broken.yaml").write_text("config: ]")
    done = run(f"{hook['entry']} Pulumi.web.yaml Pulumi.broken.yaml", tmp_path)
    assert done.returncode == 2
    assert "Pulumi.broken.yaml:1:9" in done.stderr
