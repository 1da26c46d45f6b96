import os
import socket
import sys
from contextlib import suppress

NOTICE = 5
"""Syslog level for routine events."""
WARNING = 4
"""Syslog level for events that need an operator's attention."""


def notify(state: str) -> None:
    """Send a state such as `READY=1` to systemd, if systemd started this process. Source: sd_notify(3)."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.connect("\0" + address[1:] if address.startswith("@") else address)
        systemd.sendall(state.encode())


def mark(level: int, line: str) -> str:
    """Prefix the line with its level if stdout goes to the journal. Source: sd-daemon(3).

    Checking that $JOURNAL_STREAM is set is not enough: the variable is also set if only stderr goes to the journal,
    as with `StandardOutput=append:`. Source: systemd.exec(5), $JOURNAL_STREAM.
    """
    journal = os.environ.get("JOURNAL_STREAM")
    with suppress(OSError):  # stdout may have no file descriptor
        if journal and journal == "{0.st_dev}:{0.st_ino}".format(os.fstat(sys.stdout.fileno())):
            return f"<{level}>{line}"
    return line
