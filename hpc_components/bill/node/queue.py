"""Reads jobs from slurmctld, in columns of fixed width, which nothing that a person writes into a job can shift."""

from collections.abc import Mapping, Sequence

from hpc_components.bill.node.slurm_commands import output_of

_WIDTHS = {
    "jobid": 12,
    "jobarrayid": 40,
    "statecompact": 4,
    "state": 20,
    "reason": 60,
    "account": 128,
    "username": 64,
    "starttime": 20,
    "timelimit": 20,
    "partition": 256,
    "numnodes": 16,
    "numcpus": 16,
    "oversubscribe": 16,
    "tres-alloc": 256,
    "admin_comment": 200,
}
"""Columns of `squeue -O` of Slurm 22.05 to 25.11. None of them is chosen by the owner of a job, as its name is."""


def jobs(columns: Sequence[str], *options: str) -> list[dict[str, str]]:
    """Return these columns of the jobs that `squeue` selects by `options`. Times are in seconds since the epoch.

    Raise OSError if slurmctld does not answer, or knows no such job.
    """
    wanted = ",".join(f"{name}:{_WIDTHS[name]}" for name in columns)
    return parse(output_of("env", "SLURM_TIME_FORMAT=%s", "squeue", "-h", *options, "-O", wanted), columns)


def parse(text: str, columns: Sequence[str]) -> list[dict[str, str]]:
    """Cut the lines of `squeue`. A comment, which may contain line breaks, must be the last column: its other lines
    are shorter than the columns before it, and left out.
    """
    before = sum(_WIDTHS[name] for name in columns[:-1])
    return [_cut(line, columns) for line in text.split("\n") if len(line) >= before and line.strip()]


def _cut(line: str, columns: Sequence[str]) -> dict[str, str]:
    fields, at = {}, 0
    for name in columns:
        fields[name] = line[at : at + _WIDTHS[name]].strip()
        at += _WIDTHS[name]
    return fields


def billing_of(job: Mapping[str, str]) -> int:
    """Return the billing in the column `tres-alloc`: of what the job has, or else of what it has requested."""
    for one in job["tres-alloc"].split(","):
        name, _, count = one.partition("=")
        if name == "billing" and count.isdigit():
            return int(count)
    return 0
