"""What the job does, with a stand-in for EasyBuild. `tests/rehearse/run/test_software.py` runs the real one."""

import hashlib
from pathlib import Path

import pytest

from hpc_components.software.node.job import run_job
from hpc_components.software.node.state import State, read_state

PINNED = "easybuild-framework==0.1 --hash=sha256:" + 64 * "0" + "\n"

EB = """#!/bin/bash
echo "$*" >>{at}/called
echo "$EASYBUILD_PREFIX $EASYBUILD_ROBOT_PATHS $EASYBUILD_MODULES_TOOL" >{at}/environment
[[ ! -e {at}/fails-${{!#}} ]]
"""


@pytest.fixture
def request_folder(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "shared" / "requests" / "0123456789ab"
    (folder / "easyconfigs").mkdir(parents=True)
    (folder / "easyconfigs" / "hello-1.0.eb").write_text("name = 'hello'\n")
    (folder / "easybuild.txt").write_text(PINNED)
    (folder / "install").write_text("hello-1.0.eb\nzlib-1.3.1.eb\n")
    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    return folder


@pytest.fixture
def easybuild(tmp_path, request_folder) -> Path:
    """A stand-in for an installed EasyBuild, and the folder in which it keeps how it is called."""
    there = tmp_path / "shared" / "easybuild" / hashlib.sha256(PINNED.encode()).hexdigest()[:12]
    (there / "bin").mkdir(parents=True)
    (there / ".ready").touch()
    (there / "bin" / "eb").write_text(EB.format(at=tmp_path))
    (there / "bin" / "eb").chmod(0o755)
    return tmp_path


def run(request_folder: Path) -> int:
    return run_job(request_folder, request_folder.parents[2] / "scratch")


def called(at: Path) -> list[str]:
    return (at / "called").read_text().splitlines()


def test_everything_is_built_into_the_directory(request_folder, easybuild):
    assert run(request_folder) == 0
    assert called(easybuild) == ["--robot hello-1.0.eb", "--robot zlib-1.3.1.eb"]
    assert read_state(request_folder) == State(7, {"hello-1.0.eb": "built", "zlib-1.3.1.eb": "built"}, "built")
    shared = easybuild / "shared"
    environment = f"{shared} {request_folder}/easyconfigs: EnvironmentModules\n"
    assert (easybuild / "environment").read_text() == environment
    assert list((easybuild / "scratch").iterdir()) == []


def test_a_failure_does_not_keep_others_from_being_built(request_folder, easybuild):
    (easybuild / "fails-hello-1.0.eb").touch()
    assert run(request_folder) == 1
    assert read_state(request_folder) == State(7, {"hello-1.0.eb": "failed", "zlib-1.3.1.eb": "built"}, "failed")


@pytest.mark.parametrize("file", ["hello-1.0.eb", "hello-1.0.c"])
def test_only_an_own_easyconfig_that_has_changed_is_rebuilt(request_folder, easybuild, file):
    run(request_folder)
    run(request_folder)
    (request_folder / "easyconfigs" / file).write_text("# changed\n")
    run(request_folder)
    assert called(easybuild)[2:] == [
        "--robot hello-1.0.eb",
        "--robot zlib-1.3.1.eb",
        "--robot --rebuild hello-1.0.eb",
        "--robot zlib-1.3.1.eb",
    ]


def test_job_fails_with_the_reason_without_easybuild(request_folder, tmp_path):
    (tmp_path / "shared" / "downloads").mkdir()  # so that nothing is looked for elsewhere
    assert run(request_folder) == 1
    state = read_state(request_folder)
    assert state.ended == "failed"
    assert "EasyBuild can't be installed" in state.reason
