"""Changes of the files that grant rights or configure the node.

Only root can change them, and the records of sudo say who was root then. The kernel's audit subsystem would name the
user itself, but its daemon is one more service with its own rules and logs on each node; this needs nothing.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

WATCHED = (
    "/etc/sudoers", "/etc/sudoers.d", "/etc/passwd", "/etc/group", "/etc/shadow", "/var/lib/extrausers",
    "/etc/ssh/sshd_config", "/etc/ssh/sshd_config.d", "/etc/ssh/shosts.equiv", "/root/.ssh/authorized_keys",
    "/etc/pam.d", "/etc/security", "/etc/hpc", "/etc/slurm",
)  # fmt: skip

_MAX_FILES = 2000

Sums = Mapping[str, str]
"""A hash of content, owner and mode for each file, keyed by path."""


def sums(root: Path = Path("/")) -> dict[str, str]:
    """Return the sums of all watched files. What can't be read is left out."""
    found: dict[str, str] = {}
    for path in _files(root):
        try:
            about = path.lstat()
            content = os.readlink(path).encode() if path.is_symlink() else path.read_bytes()
        except OSError:
            continue
        facts = f"{about.st_uid} {about.st_gid} {about.st_mode:o} ".encode()
        found[f"/{path.relative_to(root)}"] = hashlib.sha256(facts + content).hexdigest()
        if len(found) == _MAX_FILES:
            break
    return found


def differences(before: Sums, after: Sums) -> Iterator[str]:
    """Yield a sentence for each file that is new, changed or gone."""
    for path in sorted({*before, *after}):
        if path not in before:
            yield f"{path} is new"
        elif path not in after:
            yield f"{path} is gone"
        elif before[path] != after[path]:
            yield f"{path} has changed"


def changed_since(state: Path) -> list[str]:
    """Return the differences from the sums in `state`, and replace these. Without such a file, all is unchanged.

    Raise OSError if the file can't be written.
    """
    now = sums()
    try:
        before = json.loads(state.read_text())
    except (OSError, ValueError):
        before = now
    if before != now or not state.exists():
        new = state.with_name(f"{state.name}.new")
        new.write_text(json.dumps(now))
        new.replace(state)
    return list(differences(before, now))


def _files(root: Path) -> Iterator[Path]:
    for each in WATCHED:
        path = root / each.lstrip("/")
        if path.is_dir():
            for folder, folders, names in os.walk(path):
                folders.sort()
                yield from (Path(folder, name) for name in sorted(names))
        elif path.exists():
            yield path
