#!/usr/bin/python3 -IS
"""Slurm's PrologSlurmctld. Exits when a job's nodes have registered, so that slurmctld starts the job immediately.

Without this program, slurmctld would check only every 30 seconds whether the nodes of configuring jobs are up
(PERIODIC_TIMEOUT). The daemon notices a registration within a second, and a job whose nodes are already up is delayed
by only a single request. The program always exits with 0, because a failed prolog would requeue the job. If the
daemon does not answer, the job starts as it would without this program.

The program runs for every job, up to a thousand at a time. Python sends the request, which takes about ten
milliseconds, and is then replaced by a shell, which needs a hundredth of the memory and waits by reading from the
connection. Neither process keeps stdout open, because slurmscriptd would check it twice a second.
"""

import _socket  # `socket` is built on this module, but takes twice as long to import
import os
import sys

SOCKET = "/run/hpc-elastic/socket"
TIMEOUT_SECONDS = 3600
"""Seconds after which the program stops waiting. It rarely waits that long, because the daemon also releases a job
when Slurm gives up on its nodes (ResumeTimeout)."""
WAIT_SCRIPT = "read -r answer; exit 0"
"""Shell script that waits until the daemon answers or closes the connection."""


def main() -> None:
    """Send `wait <nodes>` and a newline. The daemon answers with one line."""
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)
    daemon = _socket.socket(_socket.AF_UNIX)
    seconds = TIMEOUT_SECONDS.to_bytes(8, sys.byteorder) + bytes(
        8
    )  # A struct timeval. The timeout also applies to the shell, which reads from the same socket.
    daemon.setsockopt(_socket.SOL_SOCKET, _socket.SO_RCVTIMEO, seconds)
    daemon.connect(SOCKET)
    daemon.sendall(f"wait {os.environ['SLURM_JOB_NODELIST']}\n".encode())
    os.dup2(daemon.fileno(), 0)
    os.execv("/bin/sh", ["hpc-prolog", "-c", WAIT_SCRIPT])


try:
    main()
except Exception:  # most likely, the daemon is not running
    os._exit(0)
