"""Sends messages to systemd (sd_notify), and marks lines for its journal with log levels."""

import os
import socket
import sys
from contextlib import suppress

NOTICE = 5
"""Syslog level of everyday events."""
WARNING = 4
"""Syslog level of events that an operator should see."""


def notify(state: str) -> None:
    """Send `READY=1`, `WATCHDOG=1`, `STATUS=...` if systemd started this process. Source: sd_notify(3)."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.connect("\0" + address[1:] if address.startswith("@") else address)
        systemd.sendall(state.encode())


def mark(level: int, line: str) -> str:
    """Prefix the line with its level if stdout is the journal (sd-daemon(3)).

    It is not enough to check that $JOURNAL_STREAM is set, because it also is if only stderr is the journal, as with
    `StandardOutput=append:`. Source: systemd.exec(5), $JOURNAL_STREAM.
    """
    journal = os.environ.get("JOURNAL_STREAM")
    with suppress(OSError):  # stdout may not be a file
        if journal and journal == "{0.st_dev}:{0.st_ino}".format(os.fstat(sys.stdout.fileno())):
            return f"<{level}>{line}"
    return line
