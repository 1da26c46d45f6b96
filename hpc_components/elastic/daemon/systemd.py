"""Messages to systemd (sd_notify), and the levels of lines for its journal."""

import os
import socket

__all__ = ["NOTICE", "WARNING", "mark", "notify"]

NOTICE = 5
"""Syslog level of everyday events."""
WARNING = 4
"""Syslog level of events that an operator should know of."""


def notify(state: str) -> None:
    """Send `READY=1`, `WATCHDOG=1`, `STATUS=...` if systemd started us. Source: sd_notify(3)."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.connect("\0" + address[1:] if address.startswith("@") else address)
        systemd.sendall(state.encode())


def mark(level: int, line: str) -> str:
    """The line with its level if it goes to the journal (sd-daemon(3)), else unchanged."""
    return f"<{level}>{line}" if "JOURNAL_STREAM" in os.environ else line
