"""Opens files of jobs, whichever format they have."""

from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import chain, count
from pathlib import Path

from hpc_components.bill.export import JOBS
from hpc_components.forecast.export_file import is_export, member
from hpc_components.forecast.jobs import Job, JobFileError, in_order
from hpc_components.forecast.opening import uncompressed
from hpc_components.forecast.sacct import sacct_jobs
from hpc_components.forecast.swf import swf_jobs

_LINE = 65_536
"""Maximum number of characters of a line."""


@contextmanager
def opened_jobs(path: Path, skipped: Counter[str]) -> Generator[Iterator[Job]]:
    """Yield the jobs of a file in order of time, while the file is read. It may be compressed with gzip, or be the
    export of a cluster's ledger.

    Jobs that can't be replayed are counted in `skipped`, by reason. Raise JobFileError if the file can't be read.
    """
    with uncompressed(path) as plain:
        exported = is_export(plain)
        content = member(plain, JOBS) if exported else plain
        with TextIOWrapper(content, encoding="utf-8-sig", errors="replace") as text:
            yield in_order(_jobs(_lines(text), skipped, exported))


def _lines(file: TextIOWrapper) -> Iterator[str]:
    for number in count(1):
        line = file.readline(_LINE)
        if len(line) == _LINE:
            raise JobFileError(f"line {number} has {_LINE} characters or more; docs/forecast.md lists the formats")
        if not line:
            return
        yield line


def _jobs(lines: Iterator[str], skipped: Counter[str], exported: bool) -> Iterator[Job]:
    first = next(lines, "")
    lines = chain([first], lines)
    if "|" in first:
        return sacct_jobs(lines, skipped, every_run=exported)
    if not first.strip():
        raise JobFileError("the file is empty; docs/forecast.md says how to export jobs")
    return swf_jobs(lines, skipped)
