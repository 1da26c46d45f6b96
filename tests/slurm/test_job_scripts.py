"""Slurm's prolog and epilog, made of a description's own scripts."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.slurm import slurm_files
from hpc_components.slurm.job_scripts import job_programs
from tests.slurm.described import cluster, queue


def programs(version: str = "24.11", **scripts: dict[str, Any]) -> dict[str, str]:
    return job_programs(cluster(queue(), scripts=scripts), version)


def run(program: str, home: Path, node: str = "cpu-1") -> "subprocess.CompletedProcess[str]":
    """Run a program as slurmd would, with files in `home`."""
    assert program.count("/root/") == 1
    text = program.replace("/root/", f"{home}/")
    return subprocess.run(["bash", "-c", text], capture_output=True, text=True, env={"SLURMD_NODENAME": node})


def test_slurm_conf_names_what_there_is() -> None:
    described = cluster(queue(), scripts={"look": {"at": "prolog", "text": "#!/bin/sh\n"}})
    files = slurm_files(described)
    assert "\nProlog=hpc-job-prolog\n" in files["slurm.conf"]
    assert "Epilog=" not in files["slurm.conf"]
    assert "hpc-job-prolog" in files
    old = slurm_files(described, version="22.05")
    assert "hpc-job-prolog" not in {**old, **dict.fromkeys(old["slurm.conf"].split("="))}


@given(text=st.text(st.characters(codec="ascii", exclude_characters="\r\0"), max_size=200))
def test_a_script_runs_as_it_is_written(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("home")
    script = f"#!/bin/cp /dev/stdin\n{text}"  # fails, and so is not run: only its text counts
    program = programs(look={"at": "prolog", "text": script})["hpc-job-prolog"]
    kept = program.replace('chmod 700 "$at/$1"', f'cp "$at/$1" {home}/kept')
    run(kept, home)
    assert (home / "kept").read_text().removesuffix("\n") == script.removesuffix("\n")


def test_scripts_of_other_queues_do_not_run(tmp_path: Path) -> None:
    program = programs(
        fails={"at": "prolog", "text": "#!/bin/false\n", "on": ["cpu"]},
    )["hpc-job-prolog"]
    assert run(program, tmp_path, "cpu-big-1").returncode == 0
    failed = run(program, tmp_path, "cpu-1")
    assert (failed.returncode, failed.stdout) == (1, "script fails: exit code 1: \n")


def test_scripts_run_in_their_order_until_one_fails(tmp_path: Path) -> None:
    program = programs(
        first={"at": "epilog", "text": f"#!/bin/sh\necho first >>{tmp_path}/ran\n"},
        second={"at": "epilog", "text": "#!/bin/sh\necho the disk is full\nexit 5\n"},
        third={"at": "epilog", "text": f"#!/bin/sh\necho third >>{tmp_path}/ran\n"},
    )["hpc-job-epilog"]
    assert run(program, tmp_path).stdout == "script second: exit code 5: the disk is full\n"
    assert (tmp_path / "ran").read_text() == "first\n"
    assert [file.name for file in tmp_path.iterdir()] == ["ran"]


def test_a_script_ends_after_its_time_limit(tmp_path: Path) -> None:
    text = "#!/bin/sh\nexec tail -f /dev/null\n"
    program = programs(hangs={"at": "prolog", "text": text, "time_limit": "1s"})["hpc-job-prolog"]
    assert run(program, tmp_path).stdout == "script hangs: ended after its time_limit of 1 s\n"
