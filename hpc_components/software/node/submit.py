"""Submits the job that builds the software of the description."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from hpc_components.software.node.state import LOG, read_state, write_job
from hpc_components.software.node.wanted import EASYCONFIGS, PINNED, Wanted, own_files

NAME = "hpc-software"
"""Name of the job. Of jobs with this name, Slurm runs one at a time (`singleton`, sbatch(1))."""

_SECONDS = 60.0

# a login shell, so that the job finds the command of the modules tool
_SCRIPT = """#!/bin/bash -l
exec {python} -I {program} job {request} --scratch {scratch}
"""


def submit(wanted: Wanted, *, again: bool) -> str:
    """Submit the job unless it has been submitted before, or `again` is set. Return a sentence for administrators.

    A list is built once: a build that has failed is not repeated until the list changes, or an administrator asks for
    it. Raise OSError if Slurm does not accept the job.
    """
    request = wanted.request
    before = read_state(request)
    if before and not again:
        return f"job {before.job} was submitted for this list already; see `hpc-software status`"
    _write_request(wanted)
    job = _sbatch(wanted)
    write_job(request, job)
    return f"submitted job {job} to queue {wanted.queue}; its log is {request / LOG}"


def _write_request(wanted: Wanted) -> None:
    """Write everything that the job needs beside its log, because compute nodes have no other copy of it."""
    request = wanted.request
    shutil.rmtree(request / EASYCONFIGS, ignore_errors=True)
    (request / EASYCONFIGS).mkdir(parents=True)
    for file in own_files(wanted.folder):
        shutil.copyfile(file, request / EASYCONFIGS / file.name)
    shutil.copyfile(wanted.folder / PINNED, request / PINNED)
    (request / "install").write_text("".join(f"{name}\n" for name in wanted.install), encoding="utf-8")
    shutil.copyfile(_program(), request / NAME)
    script = _SCRIPT.format(python=sys.executable, program=request / NAME, request=request, scratch=wanted.scratch)
    (request / "job.sh").write_text(script, encoding="utf-8")


def _program() -> Path:
    return Path(sys.argv[0])


def _sbatch(wanted: Wanted) -> int:
    request = wanted.request
    options = [
        "--parsable",
        f"--job-name={NAME}",
        f"--partition={wanted.queue}",
        "--nodes=1",
        "--exclusive",
        "--mem=0",  # all memory of the node
        "--requeue",  # what has been built is not built again
        "--dependency=singleton",
        f"--chdir={request}",
        f"--output={request / LOG}",
        "--open-mode=append",
    ]
    options += [f"--account={wanted.account}"] if wanted.account else []
    options += [f"--time={wanted.minutes}"] if wanted.minutes else []
    command = ["sbatch", *options, str(request / "job.sh")]
    # the job gets this environment. With --export, Slurm would run the login shell of a user who has none
    environment = {"PATH": os.environ["PATH"]}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=_SECONDS, check=False)
    if done.returncode:
        raise OSError(f"Slurm did not accept the job: {done.stderr.strip() or done.stdout.strip()}")
    return int(done.stdout.split(";")[0])
