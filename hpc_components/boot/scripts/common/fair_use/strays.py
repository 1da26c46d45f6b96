"""Puts users' processes that a service started, such as a shell of a cloud's agent, under the limits of their users.

Such services don't ask PAM, so systemd-logind does not know of these sessions.
"""

import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from processes import CGROUPS, Process, cgroups_below, is_user, processes_in

_MANAGER = ("org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager")


def adopt_strays() -> None:
    """Move each session that a service of root started for a user into a separate scope in the user's slice."""
    found: dict[tuple[int, int], list[int]] = defaultdict(list)
    for process in _strays(CGROUPS / "system.slice"):
        found[process.uid, process.session].append(process.pid)
    for (uid, session), pids in found.items():
        _move(f"hpc-session-{session}.scope", uid, pids)


def _strays(system: Path) -> Iterator[Process]:
    for cgroup in cgroups_below(system):
        if cgroup.name.endswith(".service"):  # containers have scopes, or groups below those of their service
            inside = list(processes_in([cgroup]))
            if any(each.uid == 0 for each in inside):  # else it is a service that runs as this user
                yield from (each for each in inside if is_user(each.uid))


def _move(scope: str, uid: int, pids: list[int]) -> None:
    """Start the scope with these processes; if it exists, because they were forked meanwhile, add them to it.

    Source: systemd, "Control Group APIs and Delegation"; org.freedesktop.systemd1(5).
    """
    numbers = (str(len(pids)), *map(str, pids))
    # a scope that failed to start, because its processes had just ended, must not stay in the way of the next attempt
    failed = ("CollectMode", "s", "inactive-or-failed")
    properties = ("Slice", "s", f"user-{uid}.slice", "SendSIGHUP", "b", "true", *failed, "PIDs", "au", *numbers)
    started = _call("StartTransientUnit", "ssa(sv)a(sa(sv))", scope, "fail", "4", *properties, "0")
    if not started:
        _call("AttachProcessesToUnit", "ssau", scope, "", *numbers)


def _call(*arguments: str) -> bool:
    run = subprocess.run(
        ("busctl", "--quiet", "call", *_MANAGER, *arguments), stderr=subprocess.DEVNULL, check=False, timeout=30
    )
    return run.returncode == 0
