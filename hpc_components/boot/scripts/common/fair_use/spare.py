"""Keeps new limits from ending programs that run already.

A slice that uses more than its new limit gets none, until it uses less. Otherwise the kernel would end its processes
as soon as systemd sets the limit. Source: kernel documentation, cgroup-v2.rst, "memory.max".
"""

import subprocess
from pathlib import Path

from processes import CGROUPS, values

_RUNTIME = Path("/run/systemd/system")
_FILE = "90-hpc-spared.conf"  # after the files with the limits


def spare(all_users: int, each_user: int) -> None:
    """Lift the limits, in bytes, of all users together and of each, where more memory is in use now."""
    users = CGROUPS / "user.slice"
    limits = {users: all_users} | dict.fromkeys(users.glob("user-*.slice"), each_user)
    for slice_, limit in limits.items():
        if _used(slice_) > limit:
            file = _RUNTIME / f"{slice_.name}.d" / _FILE
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"# {limit}\n[Slice]\nMemoryMax=infinity\n")
            print(f"{slice_.name} uses more memory than its new limit, which holds as soon as it uses less")


def end_sparing() -> None:
    """Let the limit of a spared slice hold that uses less than it now."""
    ended = [file for file in _RUNTIME.glob(f"user*.slice.d/{_FILE}") if _fits(file)]
    for file in ended:
        file.unlink()
    if ended:
        apply_limits()


def apply_limits() -> None:
    """Apply systemd's files to all slices of users, which otherwise happens when the next unit starts in a slice."""
    _run("systemctl", "daemon-reload")
    for slice_ in (users := CGROUPS / "user.slice"), *users.glob("user-*.slice"):
        _run("systemd-run", "--quiet", "--scope", f"--slice={slice_.name}", "true")


def _fits(file: Path) -> bool:
    name, limit = file.parent.name.removesuffix(".d"), int(file.read_text().split()[1])
    users = CGROUPS / "user.slice"
    return _used(users if name == users.name else users / name) < limit


def _used(slice_: Path) -> int:
    """Return the bytes in use without the cache of files, which the kernel gives up first. 0 if the slice is gone."""
    kinds = values(slice_ / "memory.stat")
    return sum(kinds.get(kind, 0) for kind in ("anon", "shmem", "slab_unreclaimable", "kernel_stack", "pagetables"))


def _run(*command: str) -> None:
    subprocess.run(command, check=True, timeout=60)
