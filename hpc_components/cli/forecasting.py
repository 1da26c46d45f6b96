from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hpc_components.cli.command import Command, Refused, complete_stack, show, stack_file
from hpc_components.cli.judging import fail_for_errors
from hpc_components.cli.output import check_writable, say, write_report, write_text

if TYPE_CHECKING:
    from hpc_components.forecast.document import Forecast
    from hpc_components.spec.cluster import ClusterSpec

_BOOT_SECONDS = 180
"""Duplicates the default of `Assumptions`, so that `--help` doesn't have to import the model."""


class _Share(click.ParamType):
    """A share, e.g. `5%` or `0.05`."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        text = str(value)
        try:
            share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            share = -1.0
        if not 0 <= share < 1:
            self.fail(f"{text!r} is not a share from 0% to less than 100%; write e.g. 5%", param, ctx)
        return share


class _Renaming(click.ParamType):
    """A queue of the jobs and the queue to use instead, e.g. `batch=cpu`."""

    name = "renaming"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        old, equals, new = value.partition("=")
        if not (old and equals and new):
            self.fail(f"{value!r} does not have the form OLD=NEW, e.g. batch=cpu", param, ctx)
        return old, new


@click.command(cls=Command)
@click.argument("stacks", nargs=-1, required=True, metavar="STACK...", shell_complete=complete_stack)
@click.option(
    "--jobs",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Jobs that have run: an export of `sacct -P`, or a trace in the Standard Workload Format.",
)
@click.option(
    "--queue",
    "renamed",
    type=_Renaming(),
    multiple=True,
    metavar="OLD=NEW",
    help="Run jobs of queue OLD in queue NEW. Repeatable.",
)
@click.option(
    "--boot-seconds",
    type=click.IntRange(1, 3600),
    default=_BOOT_SECONDS,
    show_default=True,
    help="Seconds from the launch of a machine until jobs run on it.",
)
@click.option(
    "--capacity-errors", type=_Share(), default="0%", metavar="SHARE", help="Share of launches that find no capacity."
)
@click.option(
    "--spot-losses",
    type=_Share(),
    default="0%",
    metavar="SHARE",
    help="Share of spot machines that the cloud takes back in each hour.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of errors and losses.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "html"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write the forecast to this file.")
@click.pass_context
def forecast(
    ctx: click.Context,
    stacks: tuple[str, ...],
    jobs: Path,
    renamed: tuple[tuple[str, str], ...],
    boot_seconds: int,
    capacity_errors: float,
    spot_losses: float,
    seed: int,
    format_: str,
    out: Path | None,
) -> None:
    """Show what jobs that have run would have cost in each STACK, and how long they would have waited.

    The jobs are replayed by a model of Slurm's schedulers and of the elastic daemon. STACK is a stack of this
    project, a file, or `-` for standard input; to ask "what if", change a copy of a stack file. Exit code 0: done; 1:
    a description has errors; 2: a file can't be read.

    \b
    Examples:
      hpc forecast aws-cfd --jobs jobs.txt
      hpc forecast aws-cfd azure-hbv4 --jobs jobs.txt --queue spot=compute-queue
      hpc forecast aws-cfd --jobs jobs.txt --spot-losses 5% --format html --out forecast.html
    """
    check_writable(out)
    from collections import Counter

    from hpc_components.forecast.document import document_of
    from hpc_components.forecast.job_file import opened_jobs
    from hpc_components.forecast.misfortune import Assumptions
    from hpc_components.forecast.run import run

    assumed = Assumptions(
        boot_seconds=boot_seconds, capacity_errors=capacity_errors, spot_losses=spot_losses, seed=seed
    )
    forecasts = [_forecast(ctx, stack, assumed, dict(renamed)) for stack in dict.fromkeys(stacks)]
    skipped: Counter[str] = Counter()
    with opened_jobs(jobs, skipped) as replayed:
        run(replayed, [each.run for each in forecasts])
    if forecasts[0].run.first is None:
        raise Refused(f"{jobs} has no jobs that ran; export a month in which jobs ran")
    document = document_of(forecasts, assumed, jobs=jobs.name, skipped=skipped)
    _write(document, format_, out)


def _forecast(ctx: click.Context, stack: str, assumed: Any, renamed: dict[str, str]) -> "Forecast":
    from hpc_components.forecast.document import Forecast
    from hpc_components.forecast.fleet import fleet_of
    from hpc_components.forecast.run import FleetRun
    from hpc_components.slurm import slurm_files

    name, cluster = _cluster(ctx, stack)
    fleet = fleet_of(cluster, slurm_files(cluster))
    for new in renamed.values():
        if new not in fleet.queues:
            raise Refused(f"--queue: {name} has no queue {new!r}; its queues are {', '.join(fleet.queues)}")
    if assumed.boot_seconds >= fleet.boot_timeout:
        raise Refused(
            f"--boot-seconds {assumed.boot_seconds}: {name} replaces machines that take longer than slurm.boot_time "
            f"({fleet.boot_timeout} s), so no node would ever start; raise slurm.boot_time"
        )
    return Forecast(stack=name, cluster=cluster, run=FleetRun(fleet, assumed, renamed))


def _cluster(ctx: click.Context, stack: str) -> "tuple[str, ClusterSpec]":
    from hpc_components.spec.validate import judge

    described = stack_file(stack)
    judgement = judge(described.cluster)
    if judgement.errors or judgement.cluster is None:
        fail_for_errors(ctx, described.document.file, judgement, "no forecast: fix the errors first")
    return described.stack, judgement.cluster


def _write(document: dict[str, Any], format_: str, out: Path | None) -> None:
    if format_ == "text":
        from hpc_components.forecast.show.text import forecast_text
        from hpc_components.report.text import plain_text, print_report

        report = forecast_text(document)
        write_report(out, lambda width: plain_text(report, max(width, 100)), lambda: print_report(report))
        return
    if format_ == "json":
        import json

        text = json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    else:
        from hpc_components.forecast.show.page import forecast_page

        text = forecast_page(document)
    if out is None:
        show(text, nl=False)
    else:
        write_text(out, text)
        say(f"wrote {out}")
