"""Files of a repository may be links to devices, or pipes: no command reads them, or waits for them."""

import os
from pathlib import Path

import pytest

from tests.cli.bounded import bounded_hpc
from tests.cli.test_bad_input import CLUSTER

COMMANDS = {
    "stack": ["validate", "FILE"],
    "plan": ["diff", "FILE.json", "FILE.json"],
    "preview": ["diff", "--pulumi", "FILE"],
    "state": ["diff", "--state", "FILE"],
    "converted configuration": ["convert", "FILE"],
    "public key": ["init", "--cloud", "azure", "--ssh-key", "FILE"],
    "prices": ["validate", "right"],
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "Pulumi.yaml").write_text("name: bad\nruntime: python\n")
    (tmp_path / "Pulumi.right.yaml").write_text(CLUSTER)
    (tmp_path / "hpc-prices").mkdir()
    return tmp_path


def make(path: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_a_stack_file_beside_the_judged_one_is_not_read(project: Path, kind: str) -> None:
    make(project / "Pulumi.other.yaml", kind)
    done = bounded_hpc("validate", "right", cwd=project)
    assert (done.returncode, done.stderr) == (0, ""), done


@pytest.mark.parametrize("kind", ["device", "pipe"])
@pytest.mark.parametrize("what", COMMANDS)
def test_a_named_file_is_refused_with_its_name(project: Path, what: str, kind: str) -> None:
    for name in ("FILE", "FILE.json", "hpc-prices/aws.json"):
        make(project / name, kind)
    done = bounded_hpc(*COMMANDS[what], cwd=project)
    assert done.returncode == 2, done
    named = "hpc-prices/aws.json" if what == "prices" else "FILE"
    (line,) = done.stderr.splitlines()[-1:]
    assert named in line
    assert "Traceback" not in done.stderr


def test_the_project_file_is_refused(project: Path) -> None:
    (project / "Pulumi.yaml").unlink()
    make(project / "Pulumi.yaml", "device")
    done = bounded_hpc("validate", "right", cwd=project)
    assert done.returncode == 2
    assert "It is a device, not a file" in done.stderr
