"""Runs other programs, and asks file systems, for a limited time.

What hangs in the kernel can't be killed, so it is left behind: nothing here waits for the end of a process that did
not end in time.
"""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

_PAUSE_SECONDS = 0.01
_KILL_SECONDS = 0.5
"""Time after which a killed process is taken for one that hangs in the kernel."""


@dataclass(frozen=True)
class Output:
    """What a program that ended in time has written to stdout, and its exit code."""

    code: int
    text: str


class NoAnswerError(Exception):
    """Raised if a program or file system does not answer in time. The message names it."""


def run(words: Sequence[str], seconds: float) -> Output | None:
    """Run a program. Return None if it does not exist. Raise NoAnswerError if it does not end within `seconds`."""
    with tempfile.TemporaryFile() as out:  # whoever reads a pipe also waits for the program's own children
        try:
            process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL, start_new_session=True
            )
        except OSError:
            return None
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_KILL_SECONDS)
            raise NoAnswerError(f"{words[0]} did not answer within {seconds:g} s") from None
        out.seek(0)
        return Output(code, out.read().decode(errors="replace"))


def ask_file_systems(directories: Iterable[str], seconds: float) -> dict[str, int | None]:
    """Return the errno with which each directory's file system answers, 0 for success. None: no answer in time.

    statfs(2) asks the server, whereas stat(2) may answer from a cache of the client. All are asked at the same time.
    """
    began = time.monotonic()
    asked = {directory: _ask(directory) for directory in directories}
    answers: dict[str, int | None] = {}
    while len(answers) < len(asked):
        for directory, child in asked.items():
            if directory not in answers:
                ended, status = os.waitpid(child, os.WNOHANG)
                if ended:
                    answers[directory] = os.waitstatus_to_exitcode(status)
        if time.monotonic() - began > seconds:
            for directory in asked.keys() - answers.keys():
                os.kill(asked[directory], signal.SIGKILL)
                answers[directory] = None
        elif len(answers) < len(asked):
            time.sleep(_PAUSE_SECONDS)
    return answers


def _ask(directory: str) -> int:
    """Return the process that asks."""
    child = os.fork()
    if child:
        return child
    code = 255
    try:
        os.statvfs(directory)
        code = 0
    except OSError as error:
        code = error.errno or 255
    finally:
        os._exit(code)
