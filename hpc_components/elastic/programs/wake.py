#!/usr/bin/python3 -IS
"""Slurm's ResumeProgram, SuspendProgram and ResumeFailProgram, called e.g. as `hpc-resume NODES`.

One file is installed under three names. It wakes the daemon and returns at once. The daemon reads from Slurm which
nodes are wanted, so if it is not running or the message is lost, it finds out later. The program uses as few modules
as possible, because it runs for every few jobs and each import takes time.
"""

import os
import socket
import sys
import syslog

SOCKET = "/run/hpc-elastic/socket"


def main() -> None:
    """Send `<resume, suspend or resume-fail> <nodes>` and a newline."""
    name = os.path.basename(sys.argv[0])
    nodes = " ".join(sys.argv[1:])
    try:
        with socket.socket(socket.AF_UNIX) as daemon:
            daemon.settimeout(1.0)
            daemon.connect(SOCKET)
            daemon.sendall(f"{name.removeprefix('hpc-')} {nodes}\n".encode())
    except OSError as error:
        syslog.openlog(name, syslog.LOG_PID, syslog.LOG_DAEMON)
        syslog.syslog(
            syslog.LOG_WARNING, f"cannot wake hpc-elastic for {nodes}: {error}; it handles them once it runs"
        )


main()
