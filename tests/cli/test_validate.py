import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.running import HPC, ROOT, error, hpc, interrupted, on_terminal
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
    assert (done.returncode, done.stderr) == (0, "skipped Pulumi.web.yaml, which has no key hpc:cluster\n")
    assert done.stdout == hpc("validate", "cfd", "--format", format_, cwd=project).stdout


def test_what_cannot_be_read_is_told_and_the_others_judged(project: Path) -> None:
    (project / "Pulumi.bad.yaml").write_text(CLUSTER.replace("name: cfd", "name: 9cfd"))
    (project / "Pulumi.tab.yaml").write_text("\tconfig:\n")
    (project / "Pulumi.void.yaml").write_text("")
    done = hpc("validate", cwd=project)
    assert done.returncode == 2
    assert [line.partition(" ")[0] for line in done.stderr.splitlines()] == ["skipped", "Error:", "Error:"]
    assert done.stderr.startswith("skipped Pulumi.web.yaml, ")
    assert "Error: Pulumi.tab.yaml:1:1: this is not valid YAML: " in done.stderr
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
    assert "Pulumi.twin.yaml has a cluster with the same name" in done.stdout


def test_one_file_that_can_not_be_read_does_not_hide_the_others(project: Path) -> None:
    (project / "Pulumi.bad.yaml").write_text(CLUSTER.replace("name: cfd", "name: 9cfd"))
    done = hpc("validate", "none.yaml", "bad", cwd=project)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: can't read none.yaml: ")
    assert "Pulumi.bad.yaml:4:11: error HPC-NAM-001 name\n" in done.stdout


@pytest.mark.parametrize("name", ["tab", "none"])
def test_with_json_what_can_not_be_read_is_told_in_it(project: Path, name: str) -> None:
    (project / "Pulumi.tab.yaml").write_text("config:\n\thpc:cluster: {}\n")
    done = hpc("validate", name, "cfd", "--format", "json", cwd=project)
    document = json.loads(done.stdout)
    (told,) = document["unreadable"]
    assert done.returncode == 2
    assert done.stderr.startswith("Error: ")
    assert [each["cluster"] for each in document["clusters"]] == ["cfd"]
    if name == "tab":
        assert {key: told[key] for key in ("file", "line", "column")} == {
            "file": "Pulumi.tab.yaml", "line": 2, "column": 1,
        }  # fmt: skip
        assert told["reason"].startswith("this is not valid YAML: ")


def test_with_json_a_project_without_a_cluster_is_told_in_it(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: new\nruntime: python\n")
    done = hpc("validate", "--format", "json", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert (done.returncode, document["clusters"], len(document["unreadable"])) == (2, [], 1)


def test_annotations_tell_what_can_not_be_read_at_its_place(project: Path) -> None:
    (project / "Pulumi.tab.yaml").write_text("config:\n\thpc:cluster: {}\n")
    done = hpc("validate", "tab", "--format", "github", cwd=project)
    assert done.stdout.startswith("::error file=Pulumi.tab.yaml,line=2,col=1::this is not valid YAML: ")


@pytest.mark.parametrize("text", [CLUSTER, CLUSTER.replace("name: cfd", "name: 9cfd")])
def test_standard_input_is_judged_as_a_file_is(tmp_path: Path, text: str) -> None:
    (tmp_path / "cfd.yaml").write_text(text)
    by_name, piped = hpc("validate", "cfd.yaml", cwd=tmp_path), hpc("validate", "-", cwd=tmp_path, stdin=text)
    assert piped.returncode == by_name.returncode
    assert piped.stdout == by_name.stdout.replace("cfd.yaml", "<stdin>")


def test_standard_input_without_anything_or_without_end(tmp_path: Path) -> None:
    assert error("validate", "-", cwd=tmp_path).startswith("<stdin>:1:1: the file is empty; ")
    with open("/dev/zero", "rb") as zeros:
        done = subprocess.run([HPC, "validate", "-"], cwd=tmp_path, stdin=zeros, capture_output=True, timeout=60)
    assert done.returncode == 2
    assert (
        done.stderr
        == b"Error: can't read standard input: It is larger than 4 MiB; redirect a single stack file to it\n"
    )


@pytest.mark.parametrize("columns", [50, 72])
def test_words_are_kept_whole_on_a_terminal(columns: int) -> None:
    shown = on_terminal("validate", TEN, columns=columns, env={"NO_COLOR": "1"}, code=1)
    lines = shown.replace("\r\n", "\n").splitlines()
    assert all(len(line) <= columns or " " not in line.strip().removeprefix("-> ") for line in lines)
    assert " ".join(shown.split()) == " ".join(hpc("validate", TEN).stdout.split())


def test_ctrl_c_is_exit_code_130(project: Path) -> None:
    code, said = interrupted("validate", "web", "-", cwd=project, after="Pulumi.web.yaml describes no cluster")
    assert (code, said.splitlines()[-1]) == (130, "interrupted")
