from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hpc_components.cli.command import Command, Refused, complete_stack, show, stack_file
from hpc_components.cli.judging import fail_for_errors
from hpc_components.cli.output import check_writable, say, write_report, write_text

if TYPE_CHECKING:
    from hpc_components.forecast.document import Forecast
    from hpc_components.forecast.fleet import Fleet
    from hpc_components.forecast.misfortune import Assumptions
    from hpc_components.forecast.warm import Warm
    from hpc_components.spec.cluster import ClusterSpec


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


class _Wish(click.ParamType):
    """Nodes to keep running at certain hours, e.g. `cpu=2@08:00-18:00`."""

    name = "warm"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from hpc_components.forecast.warm import warm_of

        try:
            return warm_of(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


@click.command(cls=Command)
@click.argument("stacks", nargs=-1, required=True, metavar="STACK...", shell_complete=complete_stack)
@click.option(
    "--jobs",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Jobs that have run: an export of `sacct -P` or of `hpc-elastic ledger export`, or a trace in the Standard "
    "Workload Format.",
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
    "--warm",
    type=_Wish(),
    multiple=True,
    metavar="QUEUE=NODES@[DAYS,]HH:MM-HH:MM",
    help="Also show each STACK with so many nodes of QUEUE kept running at these hours. DAYS is e.g. Mon-Fri. "
    "Repeatable.",
)
@click.option(
    "--boots",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Export of `hpc-elastic ledger export`, which has the time that machines took to boot. Unnecessary if "
    "--jobs is one.",
)
@click.option(
    "--boot-seconds",
    type=click.IntRange(1, 3600),
    help="Seconds from the launch of a machine until jobs run on it, if they are not measured. [default: 180]",
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
    warm: "tuple[Warm, ...]",
    boots: Path | None,
    boot_seconds: int | None,
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
      hpc forecast aws-cfd --jobs export.tar.gz --warm compute-queue=2@Mon-Fri,08:00-18:00
      hpc forecast aws-cfd --jobs jobs.txt --spot-losses 5% --format html --out forecast.html
    """
    check_writable(out)
    from collections import Counter

    from hpc_components.forecast.document import document_of
    from hpc_components.forecast.job_file import opened_jobs
    from hpc_components.forecast.misfortune import Assumptions
    from hpc_components.forecast.run import run

    assumed = Assumptions(
        **({} if boot_seconds is None else {"boot_seconds": boot_seconds}),
        measured_boots=_measured(jobs, boots, boot_seconds),
        capacity_errors=capacity_errors,
        spot_losses=spot_losses,
        seed=seed,
    )
    forecasts = [
        each for stack in dict.fromkeys(stacks) for each in _forecasts(ctx, stack, assumed, dict(renamed), warm)
    ]
    skipped: Counter[str] = Counter()
    with opened_jobs(jobs, skipped) as replayed:
        run(replayed, [each.run for each in forecasts])
    if forecasts[0].run.first is None:
        raise Refused(f"{jobs} has no jobs that ran; export a month in which jobs ran")
    document = document_of(forecasts, assumed, jobs=jobs.name, skipped=skipped)
    _write(document, format_, out)


def _measured(jobs: Path, boots: Path | None, boot_seconds: int | None) -> dict[str, int]:
    """Return the seconds that machines took to boot, as far as they were measured where the jobs ran."""
    from hpc_components.forecast.export_file import measured_boots

    if boots is None:
        return {} if boot_seconds is not None else measured_boots(jobs) or {}
    found = measured_boots(boots)
    if not found:
        what = (
            "is not an export of `hpc-elastic ledger export`" if found is None else "has no machine that registered"
        )
        raise Refused(f"--boots: {boots} {what}; omit --boots")
    return found


def _forecasts(
    ctx: click.Context, stack: str, assumed: "Assumptions", renamed: dict[str, str], warm: "tuple[Warm, ...]"
) -> "list[Forecast]":
    """Return the forecast of a stack, and the same with warm nodes, if there are any."""
    from hpc_components.forecast.document import Forecast
    from hpc_components.forecast.fleet import fleet_of
    from hpc_components.forecast.run import FleetRun
    from hpc_components.slurm import slurm_files

    name, cluster = _cluster(ctx, stack)
    fleet = fleet_of(cluster, slurm_files(cluster))
    for option, queue in [
        *(("--queue", new) for new in renamed.values()),
        *(("--warm", wish.queue) for wish in warm),
    ]:
        if queue not in fleet.queues:
            raise Refused(f"{option}: {name} has no queue {queue!r}; its queues are {', '.join(fleet.queues)}")
    for wish in warm:
        if wish.nodes > (most := fleet.queues[wish.queue].count):
            raise Refused(f"--warm {wish.text}: queue {wish.queue} of {name} has at most {most} nodes")
    _check_boots(name, fleet, assumed)
    plain = Forecast(stack=name, cluster=cluster, run=FleetRun(fleet, assumed, renamed))
    if not warm:
        return [plain]
    return [plain, Forecast(stack=f"{name}, warm", cluster=cluster, run=FleetRun(fleet, assumed, renamed, warm))]


def _check_boots(stack: str, fleet: "Fleet", assumed: "Assumptions") -> None:
    for queue in fleet.queues.values():
        for pool in queue.config.pools:
            if (seconds := assumed.boot_seconds_of(pool.machine)) >= fleet.boot_timeout:
                raise Refused(
                    f"{pool.machine} boots in {seconds} s, but {stack} replaces machines that take longer than "
                    f"slurm.boot_time ({fleet.boot_timeout} s), so no node would ever start; raise slurm.boot_time, "
                    "or set --boot-seconds"
                )


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
