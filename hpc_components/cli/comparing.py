import sys
from typing import TYPE_CHECKING

import click

from hpc_components.cli.command import Command, complete_stack, show
from hpc_components.cli.planning import planned_stack
from hpc_components.cli.terminal import USUAL_WIDTH, in_colour, terminal_width

if TYPE_CHECKING:
    from hpc_components.preview.plan import Plan


@click.command(cls=Command)
@click.argument("stacks", nargs=-1, required=True, metavar="STACK STACK...", shell_complete=complete_stack)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@click.pass_context
def compare(ctx: click.Context, stacks: tuple[str, ...], format_: str) -> None:
    """Show stacks side by side: machines, cores, fabric, cost per core-hour, and cost of the whole cluster.

    STACK is anything that `hpc preview` accepts. Stacks may be on different clouds. Queues with the same name share a
    section. Exit code 0: no errors; 1: the rules or the input checks find errors in a stack; 2: a file can't be read,
    or a program fails.

    \b
    Examples:
      hpc compare aws-cfd azure-hbv4
      hpc compare aws-cfd azure-hbv4 --format markdown
      hpc compare today.yaml tomorrow.yaml --format json
    """
    from hpc_components.preview.comparison import comparison_of

    plans: list[Plan] = [planned_stack(ctx, stack) for stack in dict.fromkeys(stacks)]
    document = comparison_of(plans)
    if format_ == "json":
        import json

        show(json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False))
    elif format_ == "markdown":
        from hpc_components.preview.render.comparison import comparison_markdown

        show(comparison_markdown(document), nl=False)
    elif in_colour(sys.stdout):
        from hpc_components.preview.render.comparison import print_comparison

        print_comparison(document)
    else:
        from hpc_components.preview.render.comparison import comparison_text

        show(comparison_text(document, terminal_width(sys.stdout) or USUAL_WIDTH), nl=False)
    ctx.exit(1 if any(stack["errors"] for stack in document["stacks"]) else 0)
