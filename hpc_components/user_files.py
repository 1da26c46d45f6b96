"""Safely reads files from a user or a repository.

A repository can contain a link to /dev/zero, and reading from a pipe can block forever. Only regular files up to a
maximum size are therefore read. `tests/test_user_files.py` fails if code bypasses these functions.
"""

import errno
import os
import stat
from io import FileIO
from pathlib import Path
from typing import BinaryIO

MAX_TEXT_BYTES = 4 * 2**20
"""Maximum size of a hand-written file. Slurm has the same limit for job scripts.

Source: slurm.conf(5), max_script_size.
"""

MAX_DOCUMENT_BYTES = 64 * 2**20
"""Maximum size of a generated file, such as a plan or a state. The limit also bounds memory use, because parsing JSON
may take twenty times as much memory as the file's size."""


def read_regular(path: Path, most: int = MAX_TEXT_BYTES) -> bytes:
    """Return the content of a regular file. Raise OSError if `path` is not a regular file, is larger than `most`
    bytes or can't be read.
    """
    with open_regular(path) as file:
        return read_stream(file, most)


def open_regular(path: Path) -> FileIO:
    """Open a regular file of any size, for readers that use little memory. Raise OSError like `read_regular`."""
    _check_regular(path.stat())  # check before opening, because opening a device may have side effects
    # non-blocking, because the file may have become a pipe; binary, because Windows would translate line endings
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    file = open(handle, "rb", buffering=0)  # noqa: SIM115
    try:
        _check_regular(os.fstat(handle))
    except OSError:
        file.close()
        raise
    return file


def read_user_text(path: Path, most: int = MAX_TEXT_BYTES) -> str:
    """Return the text of a regular UTF-8 file, without a byte order mark.

    Raise OSError in the same cases as `read_regular`, and UnicodeDecodeError if the text is not UTF-8.
    """
    return read_regular(path, most).decode("utf-8-sig")


def read_stream(stream: BinaryIO, most: int = MAX_TEXT_BYTES) -> bytes:
    """Read `stream` to its end. Raise OSError if there are more than `most` bytes."""
    content = bytearray()
    while len(content) <= most and (part := stream.read(min(2**20, most + 1 - len(content)))):
        content += part
    if len(content) > most:
        raise OSError(errno.EFBIG, f"It is larger than {most // 2**20} MiB")
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
