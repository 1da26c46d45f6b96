"""Runs the real `hpc` as a process, as a shell does."""

import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["HPC", "ROOT", "error", "hpc", "on_terminal"]

ROOT = Path(__file__).parent.parent.parent
HPC = str(Path(sys.executable).parent / "hpc")

_OWN = {
    key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR", "TERM", "PYTHONPATH")
}


def hpc(*arguments: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """`hpc` with these arguments, in the project unless told otherwise."""
    own = _OWN | {"COLUMNS": "100"} | dict(env or {})
    return subprocess.run([HPC, *arguments], cwd=cwd, env=own, capture_output=True, text=True, encoding="utf-8")


def error(*arguments: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> str:
    """The one sentence with which `hpc` refuses these arguments."""
    done = hpc(*arguments, cwd=cwd, env=env)
    assert done.returncode == 2, done
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line.removeprefix("Error: ")


def on_terminal(*arguments: str, columns: int = 100, env: Mapping[str, str] | None = None) -> str:
    """What `hpc` writes to a terminal."""
    ours, theirs = pty.openpty()
    own = _OWN | {"TERM": "xterm-256color", "COLUMNS": str(columns)} | dict(env or {})
    process = subprocess.Popen([HPC, *arguments], cwd=ROOT, env=own, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 2**16)
        except OSError:  # Linux's way of saying that the other end is closed
            break
        if not part:
            break
        written += part
    os.close(ours)
    assert process.wait() == 0, written
    return written.decode()
