"""Runs the real `hpc` as a process, as a shell does; where it makes no difference, in one that is forked."""

import os
import pty
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.cli import preloaded
from tests.cli.preloaded import ROOT, Preloaded
from tests.processes import started

HPC = str(preloaded.HPC)

_OWN = {
    key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR", "TERM", "PYTHONPATH")
}


_PRELOADED = Preloaded(_OWN, "aws-dev")


def hpc(
    *arguments: str,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    by: Preloaded = _PRELOADED,
) -> subprocess.CompletedProcess[str]:
    """`hpc` with these arguments, in the project unless told otherwise."""
    own = _OWN | {"COLUMNS": "100"} | dict(env or {})
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin.encode())
        given.seek(0)
        streams = given.fileno(), out.fileno(), err.fileno()
        if any(name.startswith("PYTHON") for name in env or {}):  # what is said to an interpreter that starts
            code = subprocess.run(
                [HPC, *arguments], cwd=cwd, env=own, stdin=given, stdout=out, stderr=err, timeout=300, check=False
            ).returncode
        else:
            by.start(arguments, cwd, own, streams)
            code = by.wait()
        said = [file.seek(0) or file.read().decode() for file in (out, err)]
    return subprocess.CompletedProcess([HPC, *arguments], code, *said)


def interrupted(*arguments: str, cwd: Path = ROOT, after: str) -> tuple[int, str]:
    """The exit code of `hpc` and all that it writes to standard error, where Ctrl-C comes after this line of it."""
    with started(
        # who runs the tests in the background has the signal ignored, and so has what they start
        ["env", "--default-signal=INT", HPC, *arguments], cwd=cwd, env=_OWN, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stderr
        seen = ""
        while after not in seen:
            seen += process.stderr.readline() or "(ended)" + after
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=30)
        return process.returncode, seen + rest


def error(*arguments: str, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> str:
    """The one sentence with which `hpc` refuses these arguments."""
    done = hpc(*arguments, cwd=cwd, env=env)
    assert done.returncode == 2, done
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line.removeprefix("Error: ")


def on_terminal(*arguments: str, columns: int = 100, env: Mapping[str, str] | None = None, code: int = 0) -> str:
    """What `hpc` writes to a terminal before it ends with this exit code."""
    ours, theirs = pty.openpty()
    own = _OWN | {"TERM": "xterm-256color", "COLUMNS": str(columns)} | dict(env or {})
    _PRELOADED.start(arguments, ROOT, own, [theirs, theirs, theirs])
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
    assert _PRELOADED.wait() == code, written
    return written.decode()
