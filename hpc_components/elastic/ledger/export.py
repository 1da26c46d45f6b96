"""Packs the ledger and Slurm's jobs into one file, from which `hpc bill` makes bills on another machine."""

import io
import json
import secrets
import tarfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import BinaryIO

from hpc_components.elastic.config import Config
from hpc_components.elastic.drivers.limits import Limits
from hpc_components.elastic.ledger.file import LedgerFiles, whole_lines
from hpc_components.elastic.ledger.records import Ended, Gap, Started, record_of
from hpc_components.elastic.slurm.records import field

VERSION = 1
JOB_FIELDS = (
    "JobIDRaw", "JobID", "User", "Account", "Partition", "QOS", "State", "Submit", "Start", "End", "ElapsedRaw",
    "AllocCPUS", "AllocTRES", "NodeList", "JobName",
)  # fmt: skip
"""What bills need. The name of a job comes last, because it may contain the separator."""
EXPORTED_JOB_FIELDS = (*JOB_FIELDS[:-1], "Eligible", "TimelimitRaw", "ReqTRES", JOB_FIELDS[-1])
"""Also what forecasts need."""
LATE_SECONDS = 2 * 86400.0
"""Records about a period that are written up to this long after its end are exported with it, in seconds."""

Run = Callable[[Sequence[str]], str]
"""Runs a Slurm command and returns its output, with times in UTC. Raises OSError if the command fails."""


@dataclass(frozen=True, kw_only=True)
class Period:
    """A time span in seconds since the epoch."""

    since: float
    until: float


def export(
    out: BinaryIO, config: Config, limits: Limits, files: LedgerFiles, run: Run, period: Period, now: float
) -> None:
    """Write a `.tar.gz` with `ledger.jsonl`, `jobs.psv` and `about.json` to `out`.

    Without accounting, the export contains no jobs. Raise OSError if Slurm doesn't answer.
    """
    has_accounting = _setting(run(["scontrol", "show", "config"]), "AccountingStorageType").endswith("/slurmdbd")
    about = {
        "version": VERSION,
        "cluster": config.cluster,
        "cloud": config.cloud,
        "region": config.region,
        "exported": now,
        "since": period.since,
        "until": period.until,
        "slurm": run(["scontrol", "--version"]).split()[-1],
        "currency": "USD",
        "minimum_seconds": limits.minimum_billed_seconds,
        "accounts": list(_accounts(run)) if has_accounting else [],
        "nodes": _nodes(run),
    }
    jobs = _jobs(run, period) if has_accounting else ""
    ledger = b"".join(_lines(files, period))
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        _add(archive, "about.json", (json.dumps(about, indent=1) + "\n").encode(), now)
        _add(archive, "jobs.psv", ("|".join(EXPORTED_JOB_FIELDS) + "\n" + jobs).encode(), now)
        _add(archive, "ledger.jsonl", ledger, now)


def _lines(files: LedgerFiles, period: Period) -> Iterator[bytes]:
    """Yield the records of the period's months, those written shortly after the period, and later ones that may be
    about any time before. The first file of a month begins with the state."""
    days = files.days()
    first, last = _day(period.since)[:7], _day(period.until + LATE_SECONDS)
    begin = max((day.name[:7] for day in days if day.name[:7] <= first), default="")
    for day in days:
        if begin <= day.name[:7] and day.stem <= last:
            yield from whole_lines(day)
        elif day.stem > last:
            yield from filter(_is_retrospective, whole_lines(day))


def _is_retrospective(line: bytes) -> bool:
    """Return whether the record is about a gap: it is written when the daemon runs again, or even later."""
    try:
        record = record_of(line.decode())
    except ValueError:  # the daemon names such lines
        return False
    if isinstance(record, Started):
        return record.started_by == "rebuilt"
    return isinstance(record, Gap) or (isinstance(record, Ended) and record.ended_by == "rebuilt")


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%d")  # noqa: UP017  Python 3.10


def _jobs(run: Run, period: Period) -> str:
    """Return every run of every job that ran in the period; -D includes the earlier runs of requeued jobs.

    A job's name may contain line feeds, and sacct prints them. The separator is random, so that no name can look like
    the line of another job.
    """
    span = ["-S", utc(period.since), "-E", utc(period.until)]
    separator = f"|{secrets.token_hex(8)}|"
    options = ["-a", "-X", "-D", "-P", "-n", "--noconvert", f"--delimiter={separator}"]
    lines: list[str] = []
    for line in run(["sacct", *options, *span, "-o", ",".join(EXPORTED_JOB_FIELDS)]).split("\n"):
        if separator in line:
            lines.append(line.replace(separator, "|"))
        elif line and lines:
            lines[-1] += f" {line}"
    return "".join(f"{line}\n" for line in lines)


def utc(at: float) -> str:
    """Return the time as sacct reads it with TZ=UTC."""
    return datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")  # noqa: UP017  Python 3.10


def _accounts(run: Run) -> Iterator[list[str | None]]:
    """Yield name, parent and organization of each account. The description of an organization's account names the
    organization, also after it has left."""
    told = run(["sacctmgr", "-n", "-P", "list", "account", "format=account,descr"])
    owners = dict(line.split("|", 1) for line in told.splitlines() if "|" in line)
    cluster = _setting(run(["scontrol", "show", "config"]), "ClusterName")
    wanted = ["where", f"cluster={cluster}", "user="]
    told = run(["sacctmgr", "-n", "-P", "list", "assoc", *wanted, "format=account,parentname"])
    for line in told.splitlines():
        name, _, parent = line.partition("|")
        _, mark, owner = owners.get(name, "").partition("organization ")
        yield [name, parent or None, owner if mark else None]


def _setting(config: str, key: str) -> str:
    """Return a value from the output of `scontrol show config`."""
    values = (line.partition("=")[2] for line in config.splitlines() if line.split("=")[0].strip() == key)
    return next(values, "").strip()


def _nodes(run: Run) -> dict[str, dict[str, int]]:
    """Return what Slurm schedules on a node of each partition."""
    found: dict[str, dict[str, int]] = {}
    for line in run(["scontrol", "show", "nodes", "--oneliner"]).splitlines():
        for partition in field(line, "Partitions").split(","):
            if partition and partition not in found:
                found[partition] = {
                    "cpus": int(field(line, "CPUEfctv") or field(line, "CPUTot")),
                    "memory_mib": int(field(line, "RealMemory")),
                    "gpus": _gpus(field(line, "Gres")),
                }
    return found


def _gpus(gres: str) -> int:
    """Return the number of GPUs in e.g. `gpu:h100:8(S:0-1),shard:h100:32`."""
    counts = [each.partition("(")[0].rpartition(":")[2] for each in gres.split(",") if each.startswith("gpu:")]
    return sum(int(each) for each in counts if each.isdigit())


def _add(archive: tarfile.TarFile, name: str, content: bytes, at: float) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mtime, member.mode = len(content), int(at), 0o644
    archive.addfile(member, io.BytesIO(content))
