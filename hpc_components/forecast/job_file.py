"""Opens files of jobs, whichever format they have."""

import zlib
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from gzip import GzipFile
from io import BufferedReader, TextIOWrapper
from itertools import chain, count
from pathlib import Path

from hpc_components.forecast.jobs import Job, JobFileError, in_order
from hpc_components.forecast.sacct import sacct_jobs
from hpc_components.forecast.swf import swf_jobs
from hpc_components.user_files import open_regular

_GZIP = b"\x1f\x8b"

_LINE = 65_536
"""Maximum number of characters of a line."""


@contextmanager
def opened_jobs(path: Path, skipped: Counter[str]) -> Generator[Iterator[Job]]:
    """Yield the jobs of a file in order of time, while the file is read. It may be compressed with gzip.

    Jobs that can't be replayed are counted in `skipped`, by reason. Raise JobFileError if the file can't be read.
    """
    try:
        with BufferedReader(open_regular(path)) as file:
            plain = GzipFile(fileobj=file) if file.peek(2).startswith(_GZIP) else file
            with TextIOWrapper(plain, encoding="utf-8-sig", errors="replace") as text:
                yield in_order(_jobs(_lines(text), skipped))
    except (OSError, EOFError, zlib.error) as error:
        raise JobFileError(f"can't read {path}: {getattr(error, 'strerror', None) or error}") from None
    except JobFileError as error:
        raise JobFileError(f"{path}: {error}") from None


def _lines(file: TextIOWrapper) -> Iterator[str]:
    for number in count(1):
        line = file.readline(_LINE)
        if len(line) == _LINE:
            raise JobFileError(f"line {number} has {_LINE} characters or more; docs/forecast.md lists the formats")
        if not line:
            return
        yield line


def _jobs(lines: Iterator[str], skipped: Counter[str]) -> Iterator[Job]:
    first = next(lines, "")
    lines = chain([first], lines)
    if "|" in first:
        return sacct_jobs(lines, skipped)
    if not first.strip():
        raise JobFileError("the file is empty; docs/forecast.md says how to export jobs")
    return swf_jobs(lines, skipped)
