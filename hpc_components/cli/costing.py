import sys
from typing import Any

import click

from hpc_components.cli.command import Command, Refused, complete_stack, show
from hpc_components.cli.planning import planned_stack
from hpc_components.cli.terminal import in_colour, terminal_width


class _Hours(click.ParamType):
    """Hours for all queues or for one queue, e.g. `160` or `gpu=40`."""

    name = "hours"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str | None, float]:
        queue, equals, text = value.rpartition("=")
        if equals and not queue:
            self.fail(
                f"{value!r} has no queue name before the =; to set the hours of all other queues, omit the =",
                param,
                ctx,
            )
        try:
            hours = float(text)
        except ValueError:
            hours = -1.0
        if not 0 <= hours <= 744:  # hours in the longest month
            self.fail(f"{text!r} is not a number of hours between 0 and 744", param, ctx)
        return queue or None, hours


@click.command(cls=Command)
@click.argument("stack", metavar="STACK", shell_complete=complete_stack)
@click.option(
    "--hours-per-month",
    "hours",
    type=_Hours(),
    multiple=True,
    metavar="[QUEUE=]HOURS",
    help="Hours per month for which all nodes of QUEUE run. Without QUEUE, applies to all other queues. Repeatable.",
)
@click.option(
    "--buys",
    type=click.IntRange(1, 10**9),
    metavar="USD",
    help="Also show how many hours of nodes so many USD a month buy in each queue, after what always runs.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@click.pass_context
def cost(
    ctx: click.Context, stack: str, hours: tuple[tuple[str | None, float], ...], buys: int | None, format_: str
) -> None:
    """Show what STACK costs per node-hour, core-hour, GPU-hour and month.

    The monthly cost is shown for an idle cluster, for a full cluster and, with --hours-per-month, for the specified
    hours. Queues for which no hours are specified run only their minimum number of nodes. Prices are list prices from
    the catalogue, or billing.rates of the description; `hpc preview` shows their dates. Exit code 0: done; 1: the
    description has errors; 2: a file can't be read, or the program fails.

    \b
    Examples:
      hpc cost aws-cfd
      hpc cost aws-cfd --hours-per-month 160
      hpc cost aws-cfd --hours-per-month compute-queue=300 --hours-per-month spot=60
      hpc cost aws-cfd --buys 4000
      hpc cost aws-cfd --hours-per-month 160 --format json | jq .month
    """
    plan = planned_stack(ctx, stack)
    from hpc_components.preview.usage import UnknownQueueError, usage_of

    try:
        document = usage_of(plan, dict(hours), buys)
    except UnknownQueueError as error:
        raise Refused(f"--hours-per-month: {error}") from None
    if format_ == "json":
        import json

        show(json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False))
        return
    from hpc_components.preview.render.usage import usage_table
    from hpc_components.report.text import plain_text, print_report

    if in_colour(sys.stdout):
        print_report(usage_table(document))
    else:
        show(plain_text(usage_table(document), terminal_width(sys.stdout) or 100), nl=False)
