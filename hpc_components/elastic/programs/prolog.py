#!/usr/bin/python3 -IS
"""Slurm's PrologSlurmctld: ends when the nodes of a job have registered, and slurmctld then starts the job at once.

Without it slurmctld looks every 30 seconds whether the nodes of configuring jobs are up (PERIODIC_TIMEOUT). The
daemon knows it within a second; a job whose nodes are up waits for one question. It ends well whatever happens: a
failed prolog would send the job back into the queue. Where nobody answers, the job starts as it would without us.

It runs for every job, a thousand of them at a time. Python asks, in some ten milliseconds; who then waits is a shell
that reads from the connection, with a hundredth of the memory. Neither keeps stdout open: slurmscriptd would look at
it twice a second.
"""

import _socket  # what `socket` is made of, in half the time
import os
import sys

SOCKET = "/run/hpc-elastic/socket"
LONGEST = 3600
"""Seconds until it gives up by itself; the daemon lets go of a job whose nodes Slurm gives up (ResumeTimeout)."""
WAIT = "read -r answer; exit 0"
"""Until the daemon answers or ends."""


def main() -> None:
    """`wait <nodes>` and a line end; the answer is a line."""
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)
    daemon = _socket.socket(_socket.AF_UNIX)
    seconds = LONGEST.to_bytes(8, sys.byteorder) + bytes(8)  # struct timeval; it holds for who reads after us too
    daemon.setsockopt(_socket.SOL_SOCKET, _socket.SO_RCVTIMEO, seconds)
    daemon.connect(SOCKET)
    daemon.sendall(f"wait {os.environ['SLURM_JOB_NODELIST']}\n".encode())
    os.dup2(daemon.fileno(), 0)
    os.execv("/bin/sh", ["hpc-prolog", "-c", WAIT])


try:
    main()
except Exception:  # no daemon to be asked, most likely
    os._exit(0)
