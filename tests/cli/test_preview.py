import json
import re
from pathlib import Path

import pytest

from tests.cli.running import ROOT, error, hpc, interrupted, on_terminal
from tests.cli.test_bad_input import CLUSTER


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose program makes nothing."""
    (tmp_path / "Pulumi.yaml").write_text("name: own\nruntime: python\nmain: program\n")
    (tmp_path / "Pulumi.dev.yaml").write_text("config: {own:word: x}\n")
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "__main__.py").write_text("import pulumi\n\npulumi.export('word', 'said')\n")
    return tmp_path


def test_a_plan_as_json_is_exit_code_0_and_always_the_same() -> None:
    first, second = (hpc("preview", "aws-dev", "--format", "json") for _ in range(2))
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout == second.stdout
    plan = json.loads(first.stdout)
    assert plan["stack"] == "aws-dev"
    assert plan["resources"]


def test_a_description_with_errors_is_exit_code_1_without_a_plan(project: Path) -> None:
    (project / "Pulumi.dev.yaml").write_text(CLUSTER.replace("name: cfd", "name: 9cfd"))
    done = hpc("preview", "dev", cwd=project)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Pulumi.dev.yaml:4:11: error HPC-NAM-001 name\n")
    assert ": warning HPC-" not in done.stderr, "hpc validate tells these"
    assert re.search(
        r"\n1 error, [1-9] warnings?.* in 1 cluster\ncan't make a plan: fix the errors first\n$", done.stderr
    )


def test_with_json_errors_of_a_description_are_told_as_validate_tells_them(project: Path) -> None:
    (project / "Pulumi.dev.yaml").write_text(CLUSTER.replace("name: cfd", "name: 9cfd"))
    done = hpc("preview", "dev", "--format", "json", cwd=project)
    assert (done.returncode, done.stderr) == (1, "can't make a plan: fix the errors first\n")
    assert done.stdout == hpc("validate", "dev", "--format", "json", cwd=project).stdout
    written = hpc("preview", "dev", "--format", "json", "--out", "plan.json", cwd=project)
    assert (written.returncode, written.stdout) == (1, "")
    assert written.stderr.startswith("Pulumi.dev.yaml:4:11: error HPC-NAM-001 name\n")
    assert not (project / "plan.json").exists()


def test_with_json_a_file_that_can_not_be_read_is_told_in_it(project: Path) -> None:
    done = hpc("preview", "vde", "--format", "json", cwd=project)
    reason = "there is no stack 'vde' in .; did you mean dev?"
    assert (done.returncode, done.stderr) == (2, f"Error: {reason}\n")
    assert json.loads(done.stdout)["unreadable"] == [{"reason": reason}]


def test_a_stack_on_standard_input_is_planned_in_this_project(project: Path) -> None:
    text = (project / "Pulumi.dev.yaml").read_text()
    done = hpc("preview", "-", "--format", "json", cwd=project, stdin=text)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["stack"] == "stdin"


FAULTY = "import pulumi_aws as aws\naws.ec2.Vpc('net', cidr_block='10.0.0.0/33')\n"


@pytest.mark.parametrize(
    ("silence", "code", "shown"),
    [
        ("{}", 1, ["HPC-INP-006"]),
        ("{HPC-INP-006: our own address plan}", 0, []),
        ("{HPC-INP-005: something else}", 1, ["HPC-INP-006"]),
    ],
)
def test_a_silenced_input_is_no_error(project: Path, silence: str, code: int, shown: list[str]) -> None:
    (project / "program" / "__main__.py").write_text(FAULTY)
    (project / "Pulumi.dev.yaml").write_text(f"{CLUSTER}    silence: {silence}\n")
    done = hpc("preview", "dev", cwd=project)
    assert (done.returncode, done.stderr) == (code, "")
    assert re.findall(r"HPC-INP-\d+", done.stdout) == shown
    findings = json.loads(hpc("preview", "dev", "--format", "json", cwd=project).stdout)["findings"]
    assert "HPC-INP-006" in [each["id"] for each in findings]


def test_an_error_that_the_description_silences_is_no_error(project: Path) -> None:
    twice = "      - {name: cpu, machine: c7i.large, max: 1}\n"
    silence = "    silence: {HPC-NAM-003: they are merged}\n"
    (project / "Pulumi.dev.yaml").write_text(CLUSTER + twice + silence)
    done = hpc("preview", "dev", "--format", "json", cwd=project)
    assert done.returncode == 0
    assert "HPC-NAM-003" in [each["id"] for each in json.loads(done.stdout)["findings"]]


def test_a_program_of_ones_own_is_planned_without_a_cluster(project: Path) -> None:
    done = hpc("preview", "dev", "--format", "json", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["resources"] == []


def test_what_a_program_prints_is_no_part_of_its_plan(project: Path) -> None:
    (project / "program" / "__main__.py").write_text("print('hello')\n")
    done = hpc("preview", "dev", "--format", "json", cwd=project)
    assert (done.returncode, done.stderr) == (0, "hello\n")
    assert json.loads(done.stdout)["stack"] == "dev"


@pytest.mark.parametrize("format_", ["text", "json", "markdown", "html"])
def test_a_plan_is_written_to_a_file(project: Path, format_: str) -> None:
    (project / "new").mkdir()
    done = hpc("preview", "dev", "--format", format_, "--out", "new/plan.txt", cwd=project)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "wrote new/plan.txt\n")
    shown = hpc("preview", "dev", "--format", format_, cwd=project)
    assert (project / "new" / "plan.txt").read_text(encoding="utf-8") == shown.stdout


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("import pulumi\nraise ValueError('no such thing')\n", "program/__main__.py:2: ValueError: no such thing"),
        ("import pulumi\nx = (\n", "program/__main__.py:2: SyntaxError: '(' was never closed"),
        ("import nothing_like_it\n", "program/__main__.py:1: ModuleNotFoundError: No module named 'nothing_like_it'"),
        ("import pulumi\npulumi.Config().require('size')\n", "program/__main__.py:2: "),
        (
            "from hpc_components.aws import Tags, VpcArgs\n\n"
            "VpcArgs(\n    cidr='10.0.0.0/33', zones=('use2-az1',), tags=Tags(cluster='a')\n)\n",
            "program/__main__.py:3: ValueError: VpcArgs.cidr: '10.0.0.0/33' is not an address range",
        ),
        ("exec('raise ValueError(1)')\n", "program/__main__.py:1: ValueError: 1"),
    ],
)
def test_a_failing_program_is_told_at_the_users_own_line(project: Path, program: str, sentence: str) -> None:
    (project / "program" / "__main__.py").write_text(program)
    done = hpc("preview", "dev", cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"Error: the program for dev failed: {sentence}")
    assert "Traceback" not in done.stderr


def test_a_missing_program_is_told(project: Path) -> None:
    (project / "program" / "__main__.py").unlink()
    assert error("preview", "dev", cwd=project) == (
        f"the program for dev failed: __main__.py not found in {project}/program"
    )


def test_a_missing_sdk_is_told_with_the_extra_that_brings_it(tmp_path: Path) -> None:
    (tmp_path / "pulumi_aws").mkdir()
    (tmp_path / "pulumi_aws" / "__init__.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'pulumi_aws'\", name='pulumi_aws')\n"
    )
    assert error("preview", "aws-dev", env={"PYTHONPATH": str(tmp_path)}) == (
        "this stack needs the package pulumi_aws, which is not installed; "
        "install it with: pip install 'hpc-components[aws]'"
    )


def test_credentials_and_backend_of_the_user_are_not_looked_for(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "PULUMI_ACCESS_TOKEN": "wrong", "AWS_PROFILE": "none", "PULUMI_BACKEND_URL": "x://"}
    assert hpc("preview", "aws-dev", "--format", "json", env=env).stdout == (
        hpc("preview", "aws-dev", "--format", "json").stdout
    )
    assert list(tmp_path.iterdir()) == []


def test_the_file_of_a_stack_is_planned_in_its_own_project(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    named = hpc("preview", "dev", "--format", "json", cwd=project).stdout
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    done = hpc("preview", f"{project}/Pulumi.dev.yaml", "--format", "json", cwd=elsewhere)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", named)


@pytest.mark.parametrize("plainly", [{"NO_COLOR": "1"}, {}])
@pytest.mark.parametrize("columns", [60, 100])
def test_a_plan_is_as_wide_as_the_terminal_with_and_without_colour(columns: int, plainly: dict[str, str]) -> None:
    shown = on_terminal("preview", "aws-cfd", columns=columns, env=plainly)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert max(len(line.rstrip()) for line in lines if "───" in line) == columns - 1  # the last cell's padding


def test_ctrl_c_ends_a_program_that_has_no_end(project: Path) -> None:
    program = "import time\nprint('begun', flush=True)\nwhile True:\n    time.sleep(1000)\n"
    (project / "program" / "__main__.py").write_text(program)
    done = interrupted("preview", "dev", cwd=project, after="begun\n")
    assert done == (130, "begun\ninterrupted\n")


def test_it_works_from_below_the_project() -> None:
    assert hpc("preview", "aws-dev", cwd=ROOT / "docs").returncode == 0


def test_a_stack_without_a_cluster_is_told_what_is_missing(project: Path) -> None:
    (project / "program" / "__main__.py").write_text("from hpc_components.program import run\n\nrun()\n")
    told = error("preview", "dev", cwd=project)
    assert "Pulumi.dev.yaml doesn't describe a cluster: hpc:cluster is missing under config;" in told
