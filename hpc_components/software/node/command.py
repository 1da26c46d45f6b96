"""The command line of `hpc-software`."""

import argparse
import os
import pwd
import subprocess
import sys
from pathlib import Path

from hpc_components.software.node.job import run_job
from hpc_components.software.node.status import status
from hpc_components.software.node.submit import submit
from hpc_components.software.node.wanted import read_wanted

BUILDER = "hpc-software"
"""User who owns what is built. EasyBuild refuses to run as root."""


def main() -> int:
    options = _parser().parse_args()
    try:
        return options.do(options)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"hpc-software: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hpc-software",
        description="Build the software of the cluster's description by a job.",
        epilog="Exit code: 0 if it was done (status: if everything is built), else 1, or 2 for a wrong argument.",
    )
    verbs = parser.add_subparsers(required=True, metavar="VERB")
    shown = verbs.add_parser("status", help="Show what is built, and what has become of the job.")
    shown.set_defaults(do=_status)
    wanted = verbs.add_parser("submit", help="Submit the job, unless one was submitted for the same list.")
    wanted.set_defaults(do=lambda options: _submit(again=False))
    again = verbs.add_parser("build", help="Submit the job again, e.g. after a failure. What is built stays.")
    again.set_defaults(do=lambda options: _submit(again=True))
    job = verbs.add_parser("job", help="What the job runs.")
    job.add_argument("request", type=Path)
    job.add_argument("--scratch", type=Path, required=True)
    job.set_defaults(do=lambda options: run_job(options.request, options.scratch))
    return parser


def _status(options: argparse.Namespace) -> int:
    complete, text = status(read_wanted())
    print(text)
    return 0 if complete else 1


def _submit(*, again: bool) -> int:
    if os.geteuid() == 0:
        _become(BUILDER)
    print(submit(read_wanted(), again=again))
    return 0


def _become(user: str) -> None:
    entry = pwd.getpwnam(user)
    os.setgroups([])
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
    os.umask(0o022)
