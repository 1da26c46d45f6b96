import json
from pathlib import Path

import pytest

from tests.cli.running import ROOT, hpc
from tests.cli.test_bad_input import CLUSTER

TEN = "tests/spec/data/ten_mistakes.yaml"
STACKS = sorted(file.name.split(".")[1] for file in (ROOT / "stacks" / "config").glob("*.yaml"))


@pytest.mark.parametrize("stack", STACKS)
def test_the_reference_stacks_have_no_error(stack: str) -> None:
    done = hpc("validate", stack)
    assert done.returncode == 0, done.stdout
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1].startswith("0 errors, ")


def test_all_stacks_of_the_project_are_judged_from_anywhere_in_it() -> None:
    done = hpc("validate", "--format", "json", cwd=ROOT / "docs")
    files = [cluster["file"] for cluster in json.loads(done.stdout)["clusters"]]
    assert [Path(file).name for file in files] == [f"Pulumi.{stack}.yaml" for stack in STACKS]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a cluster and a stack that describes none."""
    (tmp_path / "Pulumi.yaml").write_text("name: own\nruntime: python\n")
    (tmp_path / "Pulumi.cfd.yaml").write_text(CLUSTER)
    (tmp_path / "Pulumi.web.yaml").write_text("config: {own:word: x}\n")
    return tmp_path


@pytest.mark.parametrize("format_", ["text", "json", "github"])
def test_stacks_that_describe_no_cluster_are_skipped(project: Path, format_: str) -> None:
    done = hpc("validate", "--format", format_, cwd=project)
    assert (done.returncode, done.stderr) == (0, "Pulumi.web.yaml is skipped: it has no hpc:cluster\n")
    assert done.stdout == hpc("validate", "cfd", "--format", format_, cwd=project).stdout


def test_what_cannot_be_read_is_told_and_the_others_judged(project: Path) -> None:
    (project / "Pulumi.bad.yaml").write_text(CLUSTER.replace("name: cfd", "name: 9cfd"))
    (project / "Pulumi.tab.yaml").write_text("\tconfig:\n")
    (project / "Pulumi.void.yaml").write_text("")
    done = hpc("validate", cwd=project)
    assert done.returncode == 2
    assert [line.partition(" ")[0] for line in done.stderr.splitlines()] == ["Error:", "Error:", "Pulumi.web.yaml"]
    assert "Error: Pulumi.tab.yaml:1:1: this is not YAML: " in done.stderr
    assert "Pulumi.bad.yaml:4:11: error HPC-NAM-001 name\n" in done.stdout
    assert done.stdout.splitlines()[-1].endswith(" in 2 clusters")


def test_errors_are_exit_code_1_and_all_told() -> None:
    done = hpc("validate", TEN)
    assert (done.returncode, done.stderr) == (1, "")
    assert f"{TEN}:5:11: error HPC-NAM-001 name\n" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("10 errors, ")
    assert "\033" not in done.stdout


def test_json_and_github_tell_the_same() -> None:
    found = json.loads(hpc("validate", TEN, "--format", "json").stdout)["clusters"][0]["findings"]
    lines = hpc("validate", TEN, "--format", "github").stdout.splitlines()
    assert [(each["line"], each["column"], each["id"]) for each in found] == [
        (
            int(line.split("line=")[1].split(",")[0]),
            int(line.split("col=")[1].split(",")[0]),
            line.split("title=")[1][:11],
        )
        for line in lines
    ]
    assert {line.split(" ")[0] for line in lines} <= {"::error", "::warning", "::notice"}


def test_the_same_is_said_every_time() -> None:
    first, second = (hpc("validate", TEN, "aws-dev", "--format", "json").stdout for _ in range(2))
    assert first == second


def test_a_stack_is_judged_beside_the_others_of_its_project(project: Path) -> None:
    (project / "Pulumi.twin.yaml").write_text(CLUSTER)
    done = hpc("validate", "cfd", cwd=project)
    assert done.returncode == 1
    assert "Pulumi.cfd.yaml:4:11: error HPC-STK-001 name\n" in done.stdout
    assert "Pulumi.twin.yaml has a cluster of this name" in done.stdout
