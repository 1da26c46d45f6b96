"""The jobs of a cluster, as `sacct` lists them. Times are in milliseconds since the epoch."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hpc_components.bill.hostlists import expand
from hpc_components.bill.records import LedgerError, milliseconds
from hpc_components.elastic.ledger.export import JOB_FIELDS

_MEMORY = re.compile(r"([0-9]+(?:\.[0-9]+)?)([KMGTP]?)")
_MIB = {"K": 1 / 1024, "": 1, "M": 1, "G": 1024, "T": 1024**2, "P": 1024**3}
_NEVER = ("", "None", "Unknown", "N/A")


@dataclass(frozen=True)
class Run:
    """One run of a job. A job that was requeued has several."""

    raw_id: str
    id: str
    """The job's name for people: `12_3` is task 3 of the array 12."""
    user: str
    account: str
    queue: str
    qos: str
    state: str
    start: int
    end: int | None
    """None while it runs."""
    nodes: tuple[str, ...]
    cpus: int
    memory_mib: float
    gpus: int
    name: str

    @property
    def key(self) -> tuple[str, int]:
        return self.raw_id, self.start


def read_jobs(lines: Iterable[str], file: str) -> list[Run]:
    """Read lines of `sacct`, the first with the names of the columns, and return the runs that had nodes.

    Raise LedgerError for a line that is not from `sacct`.
    """
    runs: list[Run] = []
    columns: list[str] = []
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\n")
        if not columns:
            columns = text.split("|")
            if missing := set(JOB_FIELDS) - set(columns):
                raise LedgerError(
                    f"{file}:1: the first line must name the columns; missing: {', '.join(sorted(missing))}"
                )
            continue
        if not text:
            continue
        try:
            run = _run(dict(zip(columns, text.split("|", len(columns) - 1), strict=True)))
        except ValueError as error:
            raise LedgerError(f"{file}:{number}: this is not a line of sacct with these columns ({error})") from None
        if run:
            runs.append(run)
    return runs


def _run(its: Mapping[str, str]) -> Run | None:
    if its["Start"] in _NEVER or its["NodeList"] in (*_NEVER, "None assigned"):
        return None
    tres = _tres(its["AllocTRES"])
    return Run(
        raw_id=its["JobIDRaw"],
        id=its["JobID"],
        user=its["User"],
        account=its["Account"],
        queue=its["Partition"],
        qos=its["QOS"],
        state=its["State"].partition(" ")[0],
        start=milliseconds(int(its["Start"])),
        end=None if its["End"] in _NEVER else milliseconds(int(its["End"])),
        nodes=expand(its["NodeList"]),
        cpus=int(its["AllocCPUS"] or 0),
        memory_mib=_mib(tres.get("mem", "0")),
        gpus=_gpus(tres),
        name=its["JobName"],
    )


def _tres(text: str) -> dict[str, str]:
    return dict(item.split("=", 1) for item in text.split(",") if item)


def _mib(text: str) -> float:
    match = _MEMORY.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not a size of memory")
    return float(match[1]) * _MIB[match[2]]


def _gpus(tres: Mapping[str, str]) -> int:
    if "gres/gpu" in tres:
        return int(tres["gres/gpu"])
    return sum(int(count) for name, count in tres.items() if name.startswith("gres/gpu:"))


def one_line_each(runs: Iterable[Run]) -> list[Run]:
    """Return each run once, sorted by time. Of several lines for a run, the one with its end counts."""
    found: dict[tuple[str, int], Run] = {}
    for run in runs:
        known = found.get(run.key)
        if known is None or _later(run) > _later(known):
            found[run.key] = run
    return sorted(found.values(), key=lambda run: (run.start, run.raw_id))


def _later(run: Run) -> tuple[int, str]:
    return (-1 if run.end is None else run.end), repr(run)
