"""`hpc rehearse`, the rehearsal itself replaced by one that was made by hand."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

import hpc_components.rehearse.run.runner as runner
from hpc_components.cli import main
from hpc_components.cli.rehearsing import FAULTS
from hpc_components.rehearse.events import Event, Fault, Kind
from hpc_components.rehearse.hosts.sandbox import SandboxEndedError
from hpc_components.rehearse.result import Check, Rehearsal
from hpc_components.rehearse.run.runner import ImpossibleError, LoginShell
from hpc_components.rehearse.show.json import read_json
from hpc_components.rehearse.show.live import line_of
from tests.cli.running import ROOT, hpc
from tests.cli.test_bad_input import CLUSTER

STORY = Rehearsal(
    cluster="cfd", slurm="22.05.8", here="Debian 12, 2 cores, 23 GiB", fault="", command="sbatch job.sh", scale=None,
    changes=(), events=(Event(t=0.0, kind=Kind.STEP, words="starting the head node"),), nodes=(), jobs=(),
    checks=(Check(what="the job completes successfully", passed=True),),
    output="hello\n", accounting="", duration=1.5,
)  # fmt: skip

JOB = "#!/bin/bash\n#SBATCH --partition=spot\nsrun hostname\n"


class Stage:
    """Stands for the machine on which a rehearsal is played."""

    def __init__(self) -> None:
        self.planned: list[dict[str, Any]] = []
        self.story = STORY
        self.act: Callable[[Callable[[LoginShell], None]], None] = lambda visit: None
        self.reasons: tuple[str, ...] = ()

    def plan(self, cluster: Any, **options: Any) -> Any:
        self.planned.append({"cluster": cluster.name, **options})
        if self.reasons:
            raise ImpossibleError(self.reasons)
        return SimpleNamespace(
            shell=options["shell"], job=SimpleNamespace(directory="/fsx", command=("sbatch", "a b"))
        )

    def run(self, plan: Any, report: Callable[[Event], None], on_login: Callable[[LoginShell], None]) -> Rehearsal:
        for event in self.story.events:
            report(event)
        self.act(on_login)
        return self.story


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    stage = Stage()
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(runner, "plan_rehearsal", stage.plan)
    monkeypatch.setattr(runner, "run_rehearsal", stage.run)
    return stage


def run(*arguments: str) -> Result:
    """`hpc rehearse` in this process."""
    return CliRunner().invoke(main, ["rehearse", *arguments])


def test_the_report_goes_to_standard_output_and_what_happens_to_standard_error(stage: Stage) -> None:
    done = run("aws-cfd")
    assert done.exit_code == 0
    assert done.stderr.splitlines() == [line_of(event) for event in STORY.events]
    assert done.stdout.startswith("Rehearsal of cfd\n")
    assert done.stdout.endswith("passed: 1 of 1 check, in 1.5 s\n")


def test_all_that_is_asked_for_is_planned(stage: Stage, tmp_path: Path) -> None:
    assert run("aws-cfd").exit_code == 0
    assert run("aws-cfd", "--nodes", "16", "--full", "--fault", "capacity", "--keep").exit_code == 0
    job = tmp_path / "job.sh"
    job.write_text(JOB)
    assert run("aws-cfd", "--job", str(job), "--nodes", "8").exit_code == 0
    nothing = {"job": None, "nodes": None, "full": False, "fault": None, "shell": False, "keep": False}
    assert stage.planned == [
        {"cluster": "cfd", **nothing},
        {"cluster": "cfd", **nothing, "nodes": 16, "full": True, "fault": Fault.CAPACITY, "keep": True},
        {"cluster": "cfd", **nothing, "nodes": 8, "job": job},
    ]


def test_the_faults_are_those_of_the_rehearsal() -> None:
    assert tuple(Fault) == FAULTS


@pytest.mark.parametrize(
    ("checks", "code"),
    [((), 0), ((True,), 0), ((True, False), 1)],
)
def test_a_check_that_does_not_hold_is_exit_code_1(stage: Stage, checks: tuple[bool, ...], code: int) -> None:
    stage.story = replace(STORY, checks=tuple(Check(what="it holds", passed=passed) for passed in checks))
    assert run("aws-cfd").exit_code == code


@pytest.mark.parametrize("format_", ["text", "json", "html"])
def test_the_report_is_written_to_a_file(stage: Stage, tmp_path: Path, format_: str) -> None:
    out = tmp_path / "report"
    done = run("aws-cfd", "--format", format_, "--out", str(out))
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.splitlines()[-2:] == ["passed: 1 of 1 check", f"wrote {out}"]
    assert out.read_text(encoding="utf-8") == run("aws-cfd", "--format", format_).stdout


def test_json_on_standard_output_is_the_rehearsal_and_nothing_else(stage: Stage) -> None:
    assert read_json(run("aws-cfd", "--format", "json").stdout) == STORY


def test_ctrl_c_is_exit_code_130_and_said(stage: Stage, tmp_path: Path) -> None:
    def interrupt(visit: Callable[[LoginShell], None]) -> None:
        raise KeyboardInterrupt

    stage.act = interrupt
    out = tmp_path / "report.json"
    done = run("aws-cfd", "--out", str(out))
    assert (done.exit_code, done.stdout) == (130, "")
    assert done.stderr.endswith("interrupted; nothing is left behind\n")
    assert not out.exists()


def test_processes_that_end_without_a_word_are_told(stage: Stage) -> None:
    def die(visit: Callable[[LoginShell], None]) -> None:
        raise SandboxEndedError("the processes ended")

    stage.act = die
    done = run("aws-cfd")
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1] == (
        "Error: the processes ended; if memory ran out, ask for fewer nodes with --nodes"
    )


def test_with_keep_it_is_said_how_to_get_in_until_ctrl_c(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Any) -> None:
        raise KeyboardInterrupt

    def visited(visit: Callable[[LoginShell], None]) -> None:
        with pytest.raises(KeyboardInterrupt):
            visit(LoginShell(host="login-1", user="alice", command=("nsenter", "-t", "1 2")))

    monkeypatch.setattr("threading.Event.wait", interrupted)
    stage.act = visited
    done = run("aws-cfd", "--keep")
    assert done.exit_code == 0
    assert done.stderr.splitlines()[1:] == [
        "The cluster runs until you press Ctrl-C. To open a shell on login-1, run this as root in another terminal:",
        "  nsenter -t '1 2'",
    ]


SEVERAL = (
    "Debian packages are missing: slurmd; run make rehearse to install them",
    "root privileges are missing; use sudo",
)


@pytest.mark.parametrize(
    ("reasons", "lines"),
    [
        (SEVERAL[:1], [f"Error: can't run this rehearsal here: {SEVERAL[0]}"]),
        (SEVERAL, [f"Error: can't run this rehearsal here: {SEVERAL[0]}", f"  and: {SEVERAL[1]}"]),
    ],
)
def test_what_stands_in_the_way_is_told_with_the_way_out(
    stage: Stage, reasons: tuple[str, ...], lines: list[str]
) -> None:
    stage.reasons = reasons
    done = run("aws-cfd")
    assert (done.exit_code, done.stdout, done.stderr.splitlines()) == (2, "", lines)


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Job scripts, good and bad, and a stack with mistakes."""
    files = {
        "good.sh": JOB,
        "plain.sh": "srun hostname\n",
        "windows.sh": JOB.replace("\n", "\r\n"),
        "elsewhere.sh": JOB.replace("--partition=spot", "-N 1 -p gpus"),
        "Pulumi.yaml": "name: bad\nruntime: python\n",
        "Pulumi.cfd.yaml": CLUSTER + "      - {name: spot, machine: c7i.large, max: 4, purchase: spot}\n",
        "Pulumi.bad.yaml": CLUSTER.replace("name: cfd", "name: 9cfd"),
        "Pulumi.onlycpu.yaml": CLUSTER,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, newline="")
    (tmp_path / "program").write_bytes(b"\x7fELF\xff")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("cdf", "there is no stack 'cdf' in .; did you mean cfd?"),
        ("cfd --nodes 2", "queue cpu has at most 1 nodes, fewer than the 2 requested; lower --nodes"),
        ("cfd --nodes 5 --job good.sh", "queue spot has at most 4 nodes, fewer than the 5 requested; lower --nodes"),
        ("cfd --nodes 5 --fault spot", "queue spot has at most 4 nodes, fewer than the 5 requested; lower --nodes"),
        ("onlycpu --fault spot", "cfd has no spot queue, so it can't receive spot notices; rehearse another fault"),
        ("cfd --job none.sh", "can't read none.sh: No such file or directory; --job takes a job script"),
        ("cfd --job .", "can't read .: Is a directory; --job takes a job script"),
        (
            "cfd --job plain.sh",
            "plain.sh does not begin with #!, so Slurm rejects it; add #!/bin/bash as the first line",
        ),
        ("cfd --job windows.sh", "windows.sh has Windows line endings, so Slurm rejects it; save the file with"),
        ("cfd --job program", "program is not a text file; --job takes a job script, which can run your program"),
        ("cfd --job elsewhere.sh", "elsewhere.sh asks for partition 'gpus', but cluster cfd has only cpu, spot"),
        (
            "cfd --job good.sh --full",
            "--full applies only to the reference job, and your own job always runs unmodified; leave",
        ),
        (
            "cfd --shell --fault boot",
            "--fault needs a job to disturb, but --shell doesn't submit one; leave out one",
        ),
        ("cfd --shell --keep", "--shell keeps the cluster until you exit the shell; leave out --keep"),
        (
            "cfd --shell",
            "--shell needs a terminal; leave out --shell, or provide the commands as a script with --job",
        ),
        ("cfd --out .", "can't write .: Is a directory"),
        ("cfd --out program/x", "can't write program/x: program is not a folder"),
        ("cfd --out none/x", "can't write none/x: the folder none does not exist; create it with: mkdir -p none"),
    ],
)
def test_what_can_not_be_is_refused_before_anything_starts(
    stage: Stage, jobs: Path, arguments: str, sentence: str
) -> None:
    before = sorted(jobs.iterdir())
    done = run(*arguments.split())
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: {sentence}")
    assert stage.planned == []
    assert sorted(jobs.iterdir()) == before


def test_a_description_with_errors_is_not_rehearsed(stage: Stage, jobs: Path) -> None:
    done = run("bad")
    assert (done.exit_code, done.stdout, stage.planned) == (1, "", [])
    assert done.stderr.startswith("Pulumi.bad.yaml:4:11: error HPC-NAM-001 name\n")
    assert done.stderr.endswith("can't rehearse this cluster: fix the errors first\n")


def test_a_file_is_rehearsed_as_a_stack_is(stage: Stage, jobs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    assert run(str(jobs / "Pulumi.cfd.yaml")).exit_code == 0
    assert [planned["cluster"] for planned in stage.planned] == ["cfd"]


@pytest.mark.parametrize("arguments", ["", "aws-cfd --nodes 0", "aws-cfd --fault fire", "aws-cfd --format xml"])
def test_wrong_usage_shows_the_usage(arguments: str) -> None:
    done = hpc("rehearse", *arguments.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Usage: hpc rehearse")


def test_names_of_stacks_are_completed() -> None:
    env = {"_HPC_COMPLETE": "bash_complete", "COMP_WORDS": "hpc rehearse aws-u", "COMP_CWORD": "2"}
    assert hpc(env=env).stdout.splitlines() == ["plain,aws-ultracluster", "plain,aws-university"]
