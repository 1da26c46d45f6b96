"""The runner: steps one after the other, up to the first that fails."""

import json
import subprocess
from collections.abc import Callable

import pytest

from .fake_aws import FakeAws
from .sandbox import Sandbox

Make = Callable[..., Sandbox]


def steps(*lines: str) -> str:
    """Steps of these functions. Those in one line run at the same time."""
    told = [[f"head/try.sh {function}" for function in line.split()] for line in lines]
    calls = [("step " if len(line) == 1 else "together ") + " ".join(line) for line in told]
    return "\n".join(["source common/run.sh", *calls, "finish", ""])


TRY = """
fine() { echo "all is well"; }
dies() { echo "at work"; die 'no "good" \\ reason'; }
silent() { local nothing; nothing=$(false); echo "never seen"; }
unset_variable() { echo "$NOBODY_KNOWS"; }
in_a_pipe() { false | cat; echo "never seen"; }
met() { touch "$RUN/$1"; answers test -e "$RUN/$2"; echo "$1 met $2"; }
one() { met one other; }
other() { met other one; }
"""


def runner(make: Make, role: str, *functions: str) -> tuple[Sandbox, subprocess.CompletedProcess[str]]:
    box = make(role, **{f"boot/{role}.sh": steps(*functions), "head/try.sh": TRY, f"{role}/x": ""})
    box.write("opt/hpc/config/manifest", "".join(f"0  {path}\n" for path in box.config))
    box.write("var/log/hpc-boot.log", "the log\n")
    return box, box.run("bash", f"boot/{role}.sh")


def outcome(box: Sandbox) -> dict[str, object]:
    return json.loads(box.read("opt/hpc/boot-steps.json"))


def test_steps_are_timed_and_kept(sandbox: Make) -> None:
    box, run = runner(sandbox, "head", "fine", "fine")
    assert run.returncode == 0
    assert "all is well" in run.stdout
    assert run.stdout.splitlines()[-1].startswith("hpc-boot: ready after ")
    told = outcome(box)
    assert (told["role"], told["result"]) == ("head", "ready")
    assert [each["step"] for each in told["steps"]] == ["fine", "fine"]
    assert all(0 <= each["seconds"] < 60 for each in told["steps"])


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("dies", 'dies: no "good" \\ reason'),
        ("silent", "silent: nothing=$(false): status 1"),
        ("unset_variable", "unset_variable: head/try.sh: line 5: NOBODY_KNOWS: unbound variable"),
        ("in_a_pipe", "in_a_pipe: cat: status 1"),
    ],
)
def test_a_step_that_fails_is_the_last(sandbox: Make, function: str, reason: str) -> None:
    box, run = runner(sandbox, "head", "fine", function, "fine")
    assert run.returncode == 1
    assert run.stdout.splitlines()[-1] == reason, "the stub tells the last line"
    assert "never seen" not in run.stdout
    told = outcome(box)
    assert told["result"] == reason
    assert [each["step"] for each in told["steps"]] == ["fine", function]


def test_steps_together_run_at_the_same_time_and_are_told_in_order(sandbox: Make) -> None:
    box, run = runner(sandbox, "head", "one other", "fine")
    assert run.returncode == 0
    assert [line for line in run.stdout.splitlines() if "met" in line] == ["one met other", "other met one"]
    assert [each["step"] for each in outcome(box)["steps"]] == ["one", "other", "fine"]


def test_of_steps_together_the_first_that_fails_is_told_when_all_have_ended(sandbox: Make) -> None:
    box, run = runner(sandbox, "head", "one dies silent other", "fine")
    assert run.returncode == 1
    assert "one met other" in run.stdout
    assert box.read("run/hpc/step.other.log") == "other met one\n"
    told = outcome(box)
    assert told["result"] == 'dies: no "good" \\ reason'
    assert [each["step"] for each in told["steps"]] == ["one", "dies"]


def test_a_node_that_fails_sends_its_log_once_for_a_reason(sandbox: Make, aws: FakeAws) -> None:
    """The timer runs the steps again every minute."""
    box, _ = runner(sandbox, "head", "dies")
    ((stream, lines),) = aws.logs.items()
    assert stream.startswith("/hpc/lab:")
    assert lines == ["the log"]
    box.run("bash", "boot/head.sh")
    assert len(aws.logs) == 1
    box.write("opt/hpc/config/head/try.sh", TRY.replace("good", "better"))
    box.run("bash", "boot/head.sh")
    assert len(aws.logs) == 2


def test_files_of_an_earlier_configuration_are_removed(sandbox: Make) -> None:
    box = sandbox("head", **{"boot/head.sh": "source common/run.sh\nfinish\n"})
    box.write("opt/hpc/config/manifest", "".join(f"0  {path}\n" for path in box.config))
    box.write("opt/hpc/config/head/slurm/old.conf", "")
    run = box.run("bash", "-c", "bash boot/head.sh && ls head/slurm")
    assert "slurmdbd.conf" in run.stdout
    assert "old.conf" not in run.stdout
