"""Shares a node where users log in fairly among them.

- `watch`, the service hpc-fair-use: puts all processes of users under their limits, tells users who reach one, and
  ends sessions above the maximum
- `admit`, for PAM: exit code 3, with the reason, if the user must not get another session
- `exchange`, started by `watch`: reads and writes the shared directory
- `spare ALL EACH` and `apply`, for the boot step: new limits, in bytes, that end no program which runs
"""

import json
import os
import pwd
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from exchange import STALE_SECONDS, Exchange, exchange
from here import end, sessions_here
from notices import Notices
from processes import is_user
from sessions import Report, Session, farewell, refusal, surplus
from spare import apply_limits, end_sparing, spare
from strays import adopt_strays

CONFIG = Path("/etc/hpc/sessions.json")
"""`maximum` sessions of each user, and the shared `directory`, empty without one. No file, no maximum."""

ELSEWHERE = Path("/run/hpc/sessions.json")
"""Sessions on the other nodes, for `admit`, which must not wait for a file server."""

REFUSED = 3

_SECONDS = 4
"""From one look to the next. Sessions above the maximum end after two at most."""


def watch() -> None:
    notices, node = Notices(), os.uname().nodename
    config = _config()
    exchanged = Exchange(config["directory"], node) if config and config["directory"] else None
    duties: list[Callable[[], None]] = [adopt_strays, lambda: notices.tell(time.monotonic()), end_sparing]
    if config:
        duties.append(lambda: _keep_maximum(config["maximum"], node, exchanged))
    said: dict[int, str] = {}
    while True:
        for number, duty in enumerate(duties):
            try:
                duty()
                said.pop(number, None)
            except Exception as error:  # one duty must not prevent the others, whatever it meets
                if said.get(number) != (reason := f"{type(error).__name__}: {error}"):
                    print(reason, flush=True)
                said[number] = reason
        time.sleep(_SECONDS)


def _keep_maximum(maximum: int, node: str, exchanged: Exchange | None) -> None:
    here = sessions_here(node)
    elsewhere: list[Report] = []
    try:
        elsewhere = exchanged.reports(here) if exchanged else []
    finally:
        _keep_for_admission(elsewhere)
        every = [*here, *(session for report in elsewhere for session in report.sessions)]
        ended = [each for each in surplus(here, elsewhere, maximum) if not _administers(_name(each.uid))]
        remain = [each for each in every if each not in ended]
        end({one: farewell([each for each in remain if each.uid == one.uid], maximum) for one in ended})
        for session in ended:
            print(f"ended {session.id} of {_name(session.uid)}", flush=True)


def admit() -> int:
    user = os.environ["PAM_USER"]
    config, uid = _config(), pwd.getpwnam(user).pw_uid
    if not config or not is_user(uid):
        return 0
    sessions = [each for each in [*sessions_here(os.uname().nodename), *_elsewhere()] if each.uid == uid]
    if len(sessions) < config["maximum"] or _administers(user):
        return 0
    print(refusal(sessions, config["maximum"]))
    return REFUSED


def _config() -> dict[str, Any] | None:
    return json.loads(CONFIG.read_text()) if CONFIG.exists() else None


def _keep_for_admission(reports: list[Report]) -> None:
    lines = [
        (each.start, each.node, each.id, each.uid, each.terminal) for report in reports for each in report.sessions
    ]
    new = ELSEWHERE.with_suffix(".new")
    new.write_text(json.dumps({"written": time.time(), "sessions": lines}))
    new.rename(ELSEWHERE)


def _elsewhere() -> list[Session]:
    if not ELSEWHERE.exists():
        return []
    known = json.loads(ELSEWHERE.read_text())
    return [Session(*line) for line in known["sessions"]] if time.time() - known["written"] < STALE_SECONDS else []


def _administers(user: str) -> bool:
    """Return whether the user may become root by sudo, and so has no maximum."""
    command = ("sudo", "-n", "-l", "-U", user, "/bin/sh")
    return subprocess.run(command, capture_output=True, check=False, timeout=20).returncode == 0


def _name(uid: int) -> str:
    return pwd.getpwuid(uid).pw_name


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["watch"]:
            watch()
        case ["admit"]:
            raise SystemExit(admit())
        case ["exchange", directory, node]:
            exchange(directory, node)
        case ["spare", all_users, each_user]:
            spare(int(all_users), int(each_user))
        case ["apply"]:
            apply_limits()
