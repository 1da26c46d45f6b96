"""Safe reading of files from a user or a repository.

A repository can contain a link to /dev/zero, and a pipe can block its reader. So devices, pipes and oversized files
are refused without being read. `tests/test_user_files.py` finds code that bypasses these functions.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

MAX_TEXT_BYTES = 4 * 2**20
"""Maximum size of a hand-written file: Slurm's limit for a job script (slurm.conf(5), `max_script_size`)."""

MAX_DOCUMENT_BYTES = 64 * 2**20
"""Maximum size of a generated file, such as a plan or a state. Parsed as JSON, it may take twenty times the
memory."""


def read_regular(path: Path, most: int = MAX_TEXT_BYTES) -> bytes:
    """Return the content of a regular file; OSError if it is of another kind, has more than `most` bytes or can't be
    read.
    """
    _check_regular(path.stat())  # before opening it, since opening a device may have effects
    # non-blocking, because it may be a pipe by now; binary, because Windows would translate line ends
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb", buffering=0) as file:
        _check_regular(os.fstat(handle))
        return read_stream(file, most)


def read_user_text(path: Path, most: int = MAX_TEXT_BYTES) -> str:
    """Return the UTF-8 text of a regular file, without a byte order mark.

    OSError as for `read_regular`, or UnicodeDecodeError.
    """
    return read_regular(path, most).decode("utf-8-sig")


def read_stream(stream: BinaryIO, most: int = MAX_TEXT_BYTES) -> bytes:
    """Return everything that can be read from `stream`; OSError if that is more than `most` bytes."""
    content = bytearray()
    while len(content) <= most and (part := stream.read(min(2**20, most + 1 - len(content)))):
        content += part
    if len(content) > most:
        raise OSError(errno.EFBIG, f"It has more than {most // 2**20} MiB")
    return bytes(content)


def _check_regular(status: os.stat_result) -> None:
    mode = status.st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, f"It is {_kind(mode)}, not a file")


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"
