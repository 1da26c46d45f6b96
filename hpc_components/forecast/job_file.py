"""Opens files of jobs, whichever format they have."""

import gzip
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO

from hpc_components.forecast.jobs import Job, JobFileError, in_order
from hpc_components.forecast.sacct import sacct_jobs
from hpc_components.forecast.swf import swf_jobs

_GZIP = b"\x1f\x8b"


@contextmanager
def opened_jobs(path: Path, skipped: Counter[str]) -> Generator[Iterator[Job]]:
    """Yield the jobs of a file in order of time, while the file is read. It may be compressed with gzip.

    Jobs that can't be replayed are counted in `skipped`, by reason. Raise JobFileError if the file can't be read.
    """
    try:
        with path.open("rb") as start:
            compressed = start.read(2) == _GZIP
        opener = gzip.open if compressed else open
        with opener(path, "rt", encoding="utf-8", errors="replace") as file:
            yield in_order(_jobs(file, skipped))
    except (OSError, EOFError) as error:
        raise JobFileError(f"can't read {path}: {getattr(error, 'strerror', None) or error}") from None
    except JobFileError as error:
        raise JobFileError(f"{path}: {error}") from None


def _jobs(file: IO[str], skipped: Counter[str]) -> Iterator[Job]:
    first = next(file, "")
    lines = chain([first], file)
    if "|" in first:
        return sacct_jobs(lines, skipped)
    if not first.strip():
        raise JobFileError("the file is empty; docs/forecast.md says how to export jobs")
    return swf_jobs(lines, skipped)
