"""Reads the Standard Workload Format, version 2.2.

Source: D. Feitelson and others, "The Standard Workload Format", www.cs.huji.ac.il/labs/parallel/workload/swf.html.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from hpc_components.forecast.jobs import Job, JobFileError

_FIELDS = 18


def swf_jobs(lines: Iterable[str], skipped: Counter[str]) -> Iterator[Job]:
    """Yield the jobs that ran. Count the others in `skipped`, by reason.

    The format counts processors, not nodes, and memory in KiB for each processor.
    """
    start = 0
    for number, line in enumerate(lines, 1):
        if line.startswith(";"):
            if line[1:].lstrip().startswith("UnixStartTime:"):
                start = _start_of(line.partition(":")[2], number)
            continue
        fields = line.split(None, _FIELDS)
        if not fields:
            continue
        if len(fields) < _FIELDS:
            raise JobFileError(
                f"line {number} has {len(fields)} fields instead of {_FIELDS}; is this the Standard Workload Format?"
            )
        try:
            submit, wait, seconds, used = (int(float(field)) for field in fields[1:5])
            asked, limit, memory = (int(float(field)) for field in fields[7:10])
        except (ValueError, OverflowError):
            # the line itself may be of any file that a pull request names, and messages are public
            raise JobFileError(f"line {number}: one of the first ten fields is not a number") from None
        cpus = asked if asked > 0 else used
        if seconds < 0 or cpus <= 0:
            skipped["the job never ran"] += 1
            continue
        yield Job(
            submit=start + submit,
            seconds=seconds,
            limit=max(limit, 0),
            nodes=0,
            cpus=cpus,
            memory_mib=max(memory, 0) * cpus // 1024,
            gpus=0,
            queue=_known(fields[14]),
            account=_known(fields[12]),
            user=_known(fields[11]),
            name=fields[0],
            waited=wait,
        )


def _start_of(text: str, number: int) -> int:
    try:
        return int(float(text.split()[0]))
    except (IndexError, ValueError, OverflowError):
        raise JobFileError(f"line {number}: {text.strip()!r} is not a time in seconds since 1970") from None


def _known(field: str) -> str:
    return "" if field == "-1" else field
