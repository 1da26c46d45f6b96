"""Reads exports of `sacct -P`, whose first line names the columns. Source: sacct(1) of 22.05 and 24.11."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import lru_cache

from hpc_components.forecast.jobs import Job, JobFileError
from hpc_components.spec.slurm.times import minutes
from hpc_components.wording import listed

_NO_TIME = ("", "Unknown", "None", "N/A")
_NO_LIMIT = ("", "UNLIMITED", "Partition_Limit", "INVALID")
_MIB = {"K": 1 / 1024, "M": 1, "G": 1024, "T": 1024**2, "P": 1024**3, "": 1}
_CUT_SHORT = ("NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "REQUEUED")
_NEEDED = {"jobid": "JobID", "submit": "Submit", "start": "Start", "elapsedraw": "ElapsedRaw"}
"""Columns that every export needs, by their names in lower case."""


def sacct_jobs(lines: Iterable[str], skipped: Counter[str], *, every_run: bool = False) -> Iterator[Job]:
    """Yield the jobs that started. Count the others in `skipped`, by reason. Steps are left out.

    If the export has `every_run` (`sacct -D`), runs that were cut short are left out too.
    """
    rows = iter(lines)
    header = [name.lower() for name in next(rows, "").rstrip("\r\n").split("|")]
    place = {name: index for index, name in enumerate(header) if name}
    if "elapsedraw" not in place and "elapsed" in place:
        place["elapsedraw"] = place["elapsed"]
    if missing := [shown for name, shown in _NEEDED.items() if name not in place]:
        raise JobFileError(
            f"the first line names no column {listed(missing, 4)}; export with: sacct -a -X -P --format="
            "JobID,User,Account,Partition,Submit,Eligible,Start,ElapsedRaw,Timelimit,NNodes,NCPUS,ReqTRES,State"
        )
    read = _Reader(place, every_run)
    for number, line in enumerate(rows, 2):
        fields = line.rstrip("\r\n").split("|")
        if len(fields) < len(header):
            if line.strip():
                raise JobFileError(f"line {number} has {len(fields)} fields, but the first line names {len(header)}")
            continue
        if "." in fields[place["jobid"]]:
            continue
        try:
            if reason := read.absence(fields):
                skipped[reason] += 1
            else:
                yield read.job(fields)
        except ValueError as error:
            raise JobFileError(f"line {number}: {error}") from None


class _Reader:
    def __init__(self, place: dict[str, int], every_run: bool) -> None:
        self._place, self._every_run = place, every_run

    def absence(self, fields: list[str]) -> str:
        """Return why the job can't be replayed, or an empty string."""
        waiting = ("PENDING",) if self._every_run else ("PENDING", "REQUEUED")
        if self._text(fields, "state").startswith(waiting):
            return "the job was still waiting"
        if fields[self._place["start"]] in _NO_TIME:
            return "the job never ran"
        if self._every_run and self._text(fields, "state").startswith(_CUT_SHORT):
            return "the run was cut short, and the job usually started again"
        return ""

    def job(self, fields: list[str]) -> Job:
        place = self._place
        submit, start = _time(fields[place["submit"]]), _time(fields[place["start"]])
        eligible = self._text(fields, "eligible")
        arrived = min(max(submit, submit if eligible in _NO_TIME else _time(eligible)), start)
        asked, got = (_tres(self._text(fields, name)) for name in ("reqtres", "alloctres"))
        nodes = asked.nodes or self._count(fields, "nnodes") or got.nodes
        return Job(
            submit=arrived,
            seconds=_elapsed(fields[place["elapsedraw"]]),
            limit=self._limit(fields),
            nodes=nodes,
            cpus=_cpus(
                asked.cpus or self._count(fields, "reqcpus"), self._count(fields, "ncpus", "alloccpus") or got.cpus
            ),
            memory_mib=asked.memory_mib or _mib(self._text(fields, "reqmem")),
            gpus=asked.gpus or got.gpus,
            queue=self._text(fields, "partition").partition(",")[0],
            account=self._text(fields, "account"),
            user=self._text(fields, "user"),
            name=fields[place["jobid"]],
            waited=start - arrived,
        )

    def _text(self, fields: list[str], name: str) -> str:
        index = self._place.get(name)
        return "" if index is None else fields[index]

    def _count(self, fields: list[str], *names: str) -> int:
        return next((int(text) for name in names if (text := self._text(fields, name)).isdigit()), 0)

    def _limit(self, fields: list[str]) -> int:
        raw = self._text(fields, "timelimitraw")
        if raw.isdigit():
            return int(raw) * 60
        return _time_limit(self._text(fields, "timelimit"))


def _cpus(asked: int, got: int) -> int:
    """Return the job's CPUs, or 0 if it had whole nodes.

    Slurm gives whole cores, so at most twice the CPUs that were asked for, unless the job had whole nodes
    (`--exclusive`). The export does not contain that option.
    """
    return 0 if asked and got > 2 * asked else max(asked, got)


@lru_cache(maxsize=4096)
def _time_limit(text: str) -> int:
    if text in _NO_LIMIT:
        return 0
    found = minutes(text)
    if found is None:
        raise ValueError(f"{text!r} is not a time limit")
    return round(found * 60)


def _elapsed(text: str) -> int:
    return int(text) if text.isdigit() else _time_limit(text)


def _time(text: str) -> int:
    """Return seconds since 1970 on the file's own clock: `2026-11-28T13:04:18`, or seconds since the epoch."""
    if text.isdigit():
        return int(text)
    try:
        hours, mins, seconds = text[11:].split(":")
        return _day(text[:10]) + int(hours) * 3600 + int(mins) * 60 + int(seconds)
    except ValueError:
        raise ValueError(f"{text!r} is not a time like 2026-11-28T13:04:18") from None


@lru_cache(maxsize=4096)
def _day(text: str) -> int:
    return (date.fromisoformat(text) - date(1970, 1, 1)).days * 86400


class _Tres:
    def __init__(self, text: str) -> None:
        given = dict(item.partition("=")[::2] for item in text.split(",") if item)
        self.cpus = int(given.get("cpu", 0))
        self.nodes = int(given.get("node", 0))
        self.memory_mib = _mib(given.get("mem", ""))
        typed = [int(count) for name, count in given.items() if name.startswith("gres/gpu:")]
        self.gpus = int(given["gres/gpu"]) if "gres/gpu" in given else sum(typed)


_tres: Callable[[str], _Tres] = lru_cache(maxsize=4096)(_Tres)


@lru_cache(maxsize=4096)
def _mib(text: str) -> int:
    """Return the MiB of `4000M`, `1.50G` or `0`. Older releases append `n` or `c` (for each node or CPU)."""
    found = re.fullmatch(r"([\d.]+)([KMGTP]?)[nc]?", text)
    return round(float(found[1]) * _MIB[found[2]]) if found else 0
