#!/usr/bin/python3 -IS
"""Slurm's ResumeProgram, SuspendProgram and ResumeFailProgram, called as, for example, `hpc-resume NODES`.

One file, installed under three names, wakes the daemon and exits immediately. The daemon asks Slurm itself which
nodes are wanted, so it catches up later if it isn't running now or the message is lost. The program imports as few
modules as possible, because Slurm runs it often and each import takes time.
"""

import os
import socket
import sys
import syslog

SOCKET = "/run/hpc-elastic/socket"


def main() -> None:
    """Send `<resume, suspend or resume-fail> <nodes>` and a newline to the daemon."""
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
            syslog.LOG_WARNING,
            f"can't wake hpc-elastic for {nodes}: {error}; hpc-elastic will handle these nodes when it is "
            "running again",
        )


main()
