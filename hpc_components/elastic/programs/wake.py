#!/usr/bin/python3 -IS
"""Slurm's ResumeProgram, SuspendProgram and ResumeFailProgram: `hpc-resume NODES` and its like.

One file under three names. It wakes the daemon and returns; slurmctld waits for nobody. The daemon asks Slurm itself
what is wanted: if it does not run, or the message is lost, it sees the same later. Needs nothing but Python: it runs
for every handful of jobs, so every import counts.
"""

import os
import socket
import sys
import syslog

SOCKET = "/run/hpc-elastic/socket"


def main() -> None:
    """`<resume, suspend or resume-fail> <nodes>` and a line end."""
    name = os.path.basename(sys.argv[0])
    nodes = " ".join(sys.argv[1:])
    try:
        with socket.socket(socket.AF_UNIX) as daemon:
            daemon.settimeout(1.0)
            daemon.connect(SOCKET)
            daemon.sendall(f"{name.removeprefix('hpc-')} {nodes}\n".encode())
    except OSError as error:
        syslog.openlog(name, syslog.LOG_PID, syslog.LOG_DAEMON)
        syslog.syslog(syslog.LOG_WARNING, f"hpc-elastic was not told of {nodes}: {error}; it sees it once it runs")


main()
