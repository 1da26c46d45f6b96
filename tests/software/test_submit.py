"""`hpc-software submit`, `build` and `status`, with stand-ins for Slurm's commands."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hpc_components.software.node.state import State, read_state, write_job, write_results
from hpc_components.software.node.status import status
from hpc_components.software.node.submit import submit
from hpc_components.software.node.wanted import Wanted, read_wanted

SBATCH = """#!/bin/bash
[[ ! -e {at}/refuses ]] || {{ echo 'sbatch: error: invalid partition specified: cpu' >&2; exit 1; }}
printf '%s\\n' "$@" >>{at}/asked
echo "$(($(wc -l <{at}/ids) + 7))" | tee -a {at}/ids
"""

SQUEUE = """#!/bin/bash
[[ ! -e {at}/hangs ]] || {{ echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1; }}
cat {at}/queued 2>/dev/null || true
"""


@pytest.fixture
def slurm(tmp_path, monkeypatch) -> Path:
    """A folder in which stand-ins for sbatch and squeue keep what they are asked."""
    at = tmp_path / "slurm"
    at.mkdir()
    (at / "ids").touch()
    for name, script in (("sbatch", SBATCH), ("squeue", SQUEUE)):
        (at / name).write_text(script.format(at=at))
        (at / name).chmod(0o755)
    (tmp_path / "program").write_text("the program")
    monkeypatch.setattr("sys.argv", [str(tmp_path / "program"), "submit"])
    monkeypatch.setenv("PATH", f"{at}:/usr/bin:/bin")
    return at


@pytest.fixture
def wanted(tmp_path) -> Wanted:
    """What a description wants, read from the files of a head node."""
    folder = tmp_path / "etc"
    (folder / "easyconfigs").mkdir(parents=True)
    (folder / "easyconfigs" / "hello-1.0.eb").write_text("name = 'hello'\n")
    (folder / "easybuild.txt").write_text("easybuild-framework==5.4.1 --hash=sha256:0\n")
    described = {
        "directory": str(tmp_path / "shared"),
        "install": ["hello-1.0.eb", "zlib-1.3.1.eb"],
        "queue": "cpu",
        "account": "hpc-software",
        "minutes": 90,
        "scratch": "/var/tmp",
    }
    (folder / "build.json").write_text(json.dumps(described))
    return read_wanted(folder)


def test_a_list_is_submitted_once(slurm, wanted):
    assert submit(wanted, again=False).startswith("submitted job 7 to queue cpu;")
    assert submit(wanted, again=False).startswith("job 7 was submitted for this list already")
    assert (slurm / "ids").read_text().split() == ["7"]


def test_job_runs_alone_on_a_node_of_its_queue_and_brings_what_it_needs(slurm, wanted):
    submit(wanted, again=False)
    asked = (slurm / "asked").read_text().splitlines()
    for option in ("--partition=cpu", "--account=hpc-software", "--time=90", "--exclusive", "--dependency=singleton"):
        assert option in asked
    script = Path(asked[-1]).read_text()
    assert f"{wanted.request}/hpc-software job {wanted.request} --scratch /var/tmp" in script
    assert (wanted.request / "hpc-software").read_text() == "the program"
    assert (wanted.request / "easyconfigs" / "hello-1.0.eb").read_text() == "name = 'hello'\n"


@pytest.mark.parametrize("file", ["easyconfigs/hello-1.0.eb", "easyconfigs/fix.patch", "easybuild.txt"])
def test_a_changed_file_is_a_new_list(slurm, wanted, file):
    submit(wanted, again=False)
    (wanted.folder / file).write_text("# changed\n")
    assert submit(wanted, again=False).startswith("submitted job 8")


def test_a_changed_queue_is_not_a_new_list(slurm, wanted):
    submit(wanted, again=False)
    assert submit(replace(wanted, queue="other"), again=False).startswith("job 7 was submitted")


def test_a_list_is_submitted_again_on_request(slurm, wanted):
    submit(wanted, again=False)
    write_results(wanted.request, State(7, {"hello-1.0.eb": "failed"}, "failed"))
    assert submit(wanted, again=False).startswith("job 7 was submitted")
    assert submit(wanted, again=True).startswith("submitted job 8")
    assert read_state(wanted.request) == State(8)


def test_a_refused_job_is_submitted_with_the_next_try(slurm, wanted):
    (slurm / "refuses").touch()
    with pytest.raises(OSError, match="invalid partition specified: cpu"):
        submit(wanted, again=False)
    (slurm / "refuses").unlink()
    assert submit(wanted, again=False).startswith("submitted job 7")


def test_results_of_a_fast_job_are_kept_when_its_id_is_written_later(slurm, wanted):
    wanted.request.mkdir(parents=True)
    write_results(wanted.request, State(9, {"hello-1.0.eb": "built"}))
    write_job(wanted.request, 9)
    assert read_state(wanted.request) == State(9, {"hello-1.0.eb": "built"})


def test_status_tells_what_is_built_and_what_waits(slurm, wanted):
    submit(wanted, again=False)
    write_results(wanted.request, State(7, {"hello-1.0.eb": "built"}))
    (slurm / "queued").write_text("RUNNING (None)\n")
    complete, text = status(wanted)
    assert not complete
    assert text.splitlines()[:2] == ["built    hello-1.0.eb", "waiting  zlib-1.3.1.eb"]
    assert text.splitlines()[2].startswith("job 7 is running; its log is ")


def test_a_vanished_job_is_told_by_status(slurm, wanted):
    submit(wanted, again=False)
    complete, text = status(wanted)
    assert not complete
    assert "job 7 ended without a result" in text
    assert "sudo hpc-software build" in text


def test_status_shows_the_reason_of_a_failure(slurm, wanted):
    submit(wanted, again=False)
    write_results(wanted.request, State(7, ended="failed", reason="no EasyBuild"))
    assert "job 7 failed: no EasyBuild; see " in status(wanted)[1]
    write_results(wanted.request, State(7, dict.fromkeys(wanted.install, "built"), "built"))
    assert status(wanted)[0]


def test_status_tells_that_slurm_does_not_answer(slurm, wanted):
    submit(wanted, again=False)
    (slurm / "hangs").touch()
    with pytest.raises(OSError, match="Unable to contact slurm controller"):
        status(wanted)


def test_a_node_without_a_list_says_so(tmp_path):
    with pytest.raises(OSError, match=r"no software\.easybuild"):
        read_wanted(tmp_path)
