"""Logins, and commands as root, from the systemd journal.

Anyone can write to the journal under any name (`logger -t sshd ...`). Only the uid of the writer is certain: journald
takes it from the kernel. So a record of sshd counts if root wrote it, and a record of sudo or su is about the user
who wrote it. Source: systemd.journal-fields(7), "Trusted Journal Fields"
"""

import json
import pwd
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hpc_components.audit.node.record import Record

OWN_NAME = "hpc-audit"
"""The name under which this program writes to the journal."""

IDENTIFIERS = ("sshd", "sshd-session", "sudo", "su", "login", "pkexec", OWN_NAME)
"""Names of programs whose lines are read. From OpenSSH 9.8, each connection is served by `sshd-session`."""

MAX_LINE = 2000
"""Maximum length in characters of a line that is read. Anyone may write longer ones, to keep this program busy; sudo
writes at most 980 characters in one (sudoers(5), syslog_maxlen)."""

EVERYONE_MAY = ("/opt/hpc/bin/hpc-bill concerns",)
"""Commands of the cluster itself that all users run by sudo when they log in."""

_ACCEPTED = re.compile(
    r"Accepted (?P<how>\S+) for (?P<who>\S+) from (?P<source>\S+) port \d+(?: ssh2)?(?:: (?P<key>.*))?"
)
_FAILED = re.compile(r"Failed (?!none)(?P<how>\S+) for (?!invalid user )(?P<who>\S+) from (?P<source>\S+) port \d+")
"""Neither the client's first question for methods (`none`), nor users that do not exist, who have a line before."""

_INVALID = re.compile(r"Invalid user (?P<who>.*) from (?P<source>\S+) port \d+")
_UNAUTHENTICATED = re.compile(r".* by authenticating user (?P<who>\S+) (?P<source>\S+) port \d+")
_SESSION = re.compile(
    r"pam_unix\((?P<service>[\w-]+):session\): session (?P<change>opened|closed) for user (?P<who>[^\s(]+)"
    r"(?:\(uid=(?P<uid>\d+)\))?(?: by (?P<by>[^\s(]*)\(uid=(?P<by_uid>\d+)\))?"
)
_SUDO = re.compile(
    r"\s*(?P<who>\S+) : (?P<refused>(?:(?!\w+=).)*? ; )?(?:\w+=(?:(?! ; ).)* ; )*?USER=(?P<target>\S+) ;"
    r" (?:\w+=(?:(?! ; ).)* ; )*?COMMAND=(?P<command>.*)",
    re.DOTALL,
)
_FILE = re.compile(r"/\S.* (?:is new|is gone|has changed)")
_SU_FAILED = re.compile(r"FAILED SU \(to (?P<target>\S+)\) (?P<who>\S+) on ")


def read_journal(since: int, until: int) -> Iterator[Record]:
    """Yield the records of the journal from `since`, until before `until`, in seconds since the epoch.

    Raise OSError if journalctl fails.
    """
    command = ["journalctl", "--no-pager", "--quiet", "--output=json", f"--since=@{since}", f"--until=@{until}"]
    matches = [f"SYSLOG_IDENTIFIER={each}" for each in IDENTIFIERS]
    with subprocess.Popen([*command, *matches], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout
        for line in process.stdout:
            entry = json.loads(line)
            if since <= _seconds(entry) < until:
                yield from records_of(entry)
    if process.returncode:
        raise OSError(f"journalctl failed with exit code {process.returncode}")


def records_of(entry: Mapping[str, Any]) -> Iterable[Record]:
    """Return the records that an entry of the journal, as `--output=json` prints it, stands for: one or none."""
    try:
        uid, program = int(entry["_UID"]), _text(entry["SYSLOG_IDENTIFIER"])
        message, at = _text(entry["MESSAGE"])[:MAX_LINE], _seconds(entry)
    except (KeyError, TypeError, ValueError):
        return ()
    if program in ("sshd", "sshd-session"):
        found = _of_sshd(message, at) if uid == 0 else None
    elif program == "sudo":
        found = _of_sudo(message, uid, at)
    elif program == OWN_NAME:
        found = _of_files(message, at) if uid == 0 else None
    else:
        found = _of_session(message, uid, at)
    return (found,) if found else ()


def _of_sshd(message: str, at: float) -> Record | None:
    if found := _ACCEPTED.match(message):
        how = " ".join(part for part in ("ssh:", found["how"], found["key"]) if part)
        return Record(at=at, kind="login", who=found["who"], what=how, source=found["source"])
    if found := _FAILED.match(message):
        return Record(at=at, kind="refused", who=found["who"], what=f"ssh: {found['how']}", source=found["source"])
    if found := _INVALID.match(message):
        return Record(at=at, kind="refused", who=found["who"], what="ssh: no such user", source=found["source"])
    if found := _UNAUTHENTICATED.match(message):
        return Record(at=at, kind="refused", who=found["who"], what="ssh: no accepted key", source=found["source"])
    found = _SESSION.match(message)
    if found and found["service"] == "sshd" and found["change"] == "closed":
        return Record(at=at, kind="logout", who=found["who"], what="ssh")
    return None


def _of_sudo(message: str, uid: int, at: float) -> Record | None:
    # a long command goes on in further lines, which are left out: a secret may have been cut in two
    found = _SUDO.match(message)
    if not found or found["command"].strip() in EVERYONE_MAY:
        return None
    what = f"as {found['target']}: {found['command']}"
    if found["refused"]:
        return Record(at=at, kind="refused", who=_name(uid, found["who"]), what=f"sudo: {found['refused']}{what}")
    return Record(at=at, kind="root", who=_name(uid, found["who"]), what=what)


def _of_files(message: str, at: float) -> Record | None:
    return Record(at=at, kind="files", who="", what=message) if _FILE.fullmatch(message) else None


def _of_session(message: str, uid: int, at: float) -> Record | None:
    """Return the record of `su`, of `pkexec`, and of a login at the console."""
    if failed := _SU_FAILED.match(message):
        return Record(at=at, kind="refused", who=_name(uid, failed["who"]), what=f"su: to {failed['target']}")
    found = _SESSION.match(message)
    if not found or found["change"] != "opened":
        return None
    if found["service"] == "login":
        return Record(at=at, kind="login", who=found["who"], what="console") if uid == 0 else None
    by = int(found["by_uid"] or 0)
    if by == 0 or uid not in (0, by):  # root needs no permission, and a user's line counts for that user only
        return None
    return Record(at=at, kind="root", who=_name(by, found["by"] or ""), what=f"as {found['who']}: {found['service']}")


def _name(uid: int, written: str) -> str:
    """Return the name of the user who wrote a line. A user who is gone may be anyone whom the line names."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"{written} (uid {uid})"


def _text(value: str | list[int]) -> str:
    """Return a field as a text. journalctl prints what is not printable as a list of bytes."""
    return value if isinstance(value, str) else bytes(value).decode(errors="replace")


def _seconds(entry: Mapping[str, Any]) -> float:
    return int(entry["__REALTIME_TIMESTAMP"]) / 1e6
