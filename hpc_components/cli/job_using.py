"""`hpc job`: what a job used of what it asked for."""

import time
from pathlib import Path
from typing import Any

import click

from hpc_components.cli.command import Command, Refused, complete_stack
from hpc_components.cli.output import check_writable, show_report, write_report
from hpc_components.cli.reaching import reach_of, reach_options, require_programs


@click.command(cls=Command)
@click.argument("stack", shell_complete=complete_stack)
@click.argument("job")
@click.option("--format", "format_", type=click.Choice(["text", "html", "json"]), default="text", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write to FILE.")
@reach_options
def job(stack: str, job: str, format_: str, out: Path | None, **way: Any) -> None:
    """Show what JOB used of the CPUs, memory and GPUs that it asked for.

    It needs accounting; memory of nodes, GPUs and networks also need `monitoring` and an account that may use sudo.
    Exit code 0: done; 2: Slurm knows no such job that has started, or the cluster can't be reached.

    \b
    Examples:
      hpc job aws-cfd 4711
      hpc job aws-cfd 4711_3 --format html --out job.html
    """
    from hpc_components.operate.job_use import JOB_ID, ask_job
    from hpc_components.spec.printable import json_text

    if not JOB_ID.fullmatch(job):
        raise Refused(f"{job!r} is not the id of a job; write it like 4711, or 4711_3 for a task of an array")
    check_writable(out)
    reach = reach_of(stack, **way)
    require_programs(reach, "head")
    document = ask_job(reach, job, int(time.time()))
    if format_ == "json":
        write_report(out, lambda width: json_text(document) + "\n", None)
        return
    from hpc_components.operate.job_show import job_page, job_text

    if format_ == "html":
        write_report(out, lambda width: job_page(document), None)
        return
    show_report(job_text(document), out)
