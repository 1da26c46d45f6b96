"""Lists this node's sessions of users, and ends them."""

import calendar
import os
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from processes import CGROUPS, cgroups_below, is_user, processes_in, slice_of, uid_of
from sessions import Session

_PROPERTIES = ("Class", "Remote", "Scope", "State", "TTY", "Timestamp", "User")

_SECONDS_TO_SEND = 2
"""Until a session's own sshd, which ends with it, has sent a message to the user."""

_UTC = {"PATH": os.defpath, "TZ": "UTC", "LC_ALL": "C"}


def sessions_here(node: str) -> list[Session]:
    """Return the sessions of users that are open on this node, of sshd and others.

    Raise OSError or subprocess.SubprocessError if systemd-logind does not answer.
    """
    return [*_of_logind(node), *_of_agents(node)]


def end(messages: Mapping[Session, str]) -> None:
    """Show a message on the terminal of each session, and end all processes of the sessions."""
    for session, message in messages.items():
        if session.terminal:
            write([session.terminal], message)
    if messages:
        time.sleep(_SECONDS_TO_SEND)
        # fails for a session that has ended meanwhile; one that stays is found by the next look
        subprocess.run(("systemctl", "stop", "--no-block", *(each.id for each in messages)), check=False, timeout=30)


def terminals_of(uid: int) -> set[str]:
    """Return the terminals of all processes of a user who has logged in."""
    return _terminals(cgroups_below(slice_of(uid)))


def write(terminals: Iterable[str], message: str) -> None:
    """Show the message on terminals. One that takes no output is left out."""
    text = "\r\n" + message.replace("\n", "\r\n") + "\r\n"
    for terminal in terminals:
        with suppress(OSError):
            file = os.open(f"/dev/{terminal}", os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
            try:
                os.write(file, text.encode())
            finally:
                os.close(file)


def _of_logind(node: str) -> Iterator[Session]:
    ids = [line.split()[0] for line in _loginctl("list-sessions", "--no-legend").splitlines()]
    if not ids:
        return
    shown = _loginctl("show-session", *(f"--property={name}" for name in _PROPERTIES), *ids)
    for block in shown.strip().split("\n\n"):
        found = dict(line.split("=", 1) for line in block.splitlines())
        uid, terminal = int(found["User"]), found["TTY"]
        # of classes manager and background, without Remote and terminal: systemd --user, cron, su in a service
        counts = found["Class"].startswith("user") and (found["Remote"] == "yes" or terminal)
        if counts and found["State"] != "closing" and is_user(uid):
            terminal = terminal or next(iter(_terminals([slice_of(uid) / found["Scope"]])), "")
            yield Session(_second_after(found["Timestamp"]), node, found["Scope"], uid, terminal)


def _of_agents(node: str) -> Iterator[Session]:
    for scope in (CGROUPS / "user.slice").glob("user-*.slice/hpc-session-*.scope"):
        shells = sorted((each.start, each.terminal) for each in processes_in([scope]) if each.terminal)
        if shells:
            yield Session(shells[0][0], node, scope.name, uid_of(scope.parent), shells[0][1])


def _terminals(cgroups: Iterable[Path]) -> set[str]:
    return {process.terminal for process in processes_in(cgroups)} - {""}


def _second_after(timestamp: str) -> float:
    """Return the end of the second in which a session began: what was reported before it may have been before it."""
    return calendar.timegm(time.strptime(timestamp, "%a %Y-%m-%d %H:%M:%S UTC")) + 1


def _loginctl(*arguments: str) -> str:
    command = ("loginctl", *arguments)
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, timeout=10, env=_UTC).stdout
