"""docs/tutorial.md, walked through from an empty folder with the `hpc` of the built wheel."""

import os
import subprocess
from pathlib import Path

import pytest

from hpc_components.rehearse.run.requirements import missing
from tests.docs.walking import Step, missing_lines, steps
from tests.wheel.conftest import ROOT

INSTALL, *STEPS = steps(ROOT / "docs/tutorial.md")
LACKS = "; ".join(map(str, missing(accounting=False)))


def run(step: Step, folder: Path, bin: Path) -> None:
    own = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "AWS_"))}
    commands = step.commands.replace("sudo ", "")
    for code in step.may_end_with - {0}:
        commands = commands.replace(f"# exit code {code}", f"|| test $? -eq {code}")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=folder, env=own | {"PATH": f"{bin}:{own['PATH']}", "COLUMNS": "100"}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert done.returncode == 0, f"{commands}\n{done.stdout}"
    assert missing_lines(step.shown, done.stdout) == [], done.stdout


def is_rehearsal(step: Step) -> bool:
    return " rehearse " in step.commands


@pytest.fixture(scope="module")
def walked(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first-cluster")
    for step in STEPS:
        if not is_rehearsal(step):
            run(step, folder, installed)
    return folder


def test_it_begins_with_what_installs_the_package() -> None:
    assert "pip install 'hpc-components[aws]'" in INSTALL.commands


def test_every_command_works_and_writes_what_the_page_shows(walked: Path) -> None:
    assert {"Pulumi.first.yaml", "plan.html", "hello.sh"} <= {file.name for file in walked.iterdir()}


@pytest.mark.slurm
@pytest.mark.skipif(bool(LACKS), reason=LACKS)
def test_the_job_of_the_tutorial_runs(walked: Path, installed: Path) -> None:
    (rehearsal,) = filter(is_rehearsal, STEPS)
    run(rehearsal, walked, installed)
