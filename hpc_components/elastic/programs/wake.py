#!/usr/bin/python3 -IS
"""Slurm's ResumeProgram, SuspendProgram and ResumeFailProgram: `hpc-resume NODES` and its like.

One file under three names. It hands the nodes, and the jobs that Slurm names in SLURM_RESUME_FILE, to the daemon and
returns; slurmctld waits for nobody. A daemon that does not run is no failure: once it does, it sees for itself what
Slurm wants. Needs nothing but Python: it runs for every handful of jobs, so every import counts.
"""

import os
import socket
import sys
import syslog

SOCKET = "/run/hpc-elastic/socket"


def main() -> None:
    """`<resume, suspend or resume-fail> <nodes>`, a line end, and the jobs as Slurm gives them (JSON) or nothing."""
    name = os.path.basename(sys.argv[0])
    message = f"{name.removeprefix('hpc-')} {' '.join(sys.argv[1:])}\n".encode()
    try:
        with socket.socket(socket.AF_UNIX) as daemon:
            daemon.settimeout(1.0)
            daemon.connect(SOCKET)
            daemon.sendall(message + jobs())
    except OSError as error:
        syslog.openlog(name, syslog.LOG_PID, syslog.LOG_DAEMON)
        words = f"hpc-elastic was not told of {' '.join(sys.argv[1:])}: {error}; it sees it once it runs"
        syslog.syslog(syslog.LOG_WARNING, words)


def jobs() -> bytes:
    """What SLURM_RESUME_FILE says; it is open only while we run."""
    try:
        with open(os.environ["SLURM_RESUME_FILE"], "rb") as file:
            return file.read()
    except (KeyError, OSError):
        return b""


main()
