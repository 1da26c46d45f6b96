"""Reads the files that a user names. Devices, FIFOs and files without end are refused instead of waited for."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

__all__ = ["LARGEST", "read_regular", "read_stream"]

LARGEST = 4 * 2**20
"""Bytes of a file: as many as Slurm takes of a job script (slurm.conf(5), `max_script_size`)."""


def read_regular(path: Path) -> bytes:
    """The content of a regular file. OSError if it is none, has more than `LARGEST` bytes, or can't be read."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, f"It is {_kind(mode)}, not a file")
    with path.open("rb") as file:
        return read_stream(file)


def read_stream(stream: BinaryIO) -> bytes:
    """All that comes from `stream`. OSError if it is more than `LARGEST` bytes."""
    content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise OSError(errno.EFBIG, f"It has more than {LARGEST // 2**20} MiB")
    return content


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"
