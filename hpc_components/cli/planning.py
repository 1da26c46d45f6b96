import sys
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from hpc_components.cli.command import STDIN, Command, Refused, complete_stack, is_file, stack_file
from hpc_components.cli.judging import fail_for_errors
from hpc_components.cli.output import check_writable, write_report
from hpc_components.cloud import CLOUDS, cloud_named

if TYPE_CHECKING:
    from hpc_components.preview.plan import Plan
    from hpc_components.preview.stack import PlannedStack
    from hpc_components.spec.project import StackFile


@click.command(cls=Command)
@click.argument("stack", metavar="STACK", shell_complete=complete_stack)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "markdown", "html"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the output to this file.")
@click.pass_context
def preview(ctx: click.Context, stack: str, format_: str, out: Path | None) -> None:
    """Show STACK's resources, their cost and the quotas they need, without access to a cloud.

    Runs the stack's own program with the real SDKs, but without credentials, Pulumi's CLI or a network. STACK is a
    stack of this project, a file, or `-` for standard input. If a file has no program beside it, a standard program
    creates the described cluster. Exit code 0: no errors; 1: the rules or the input checks find errors; 2: a
    file can't be read, or the program fails.

    \b
    Examples:
      hpc preview aws-cfd
      hpc preview aws-cfd --format html --out cfd.html
      hpc preview aws-cfd --format json | jq .cost.full
    """
    check_writable(out)
    plan = planned_stack(ctx, stack, with_forecast=format_ == "json")  # for `hpc diff`, which alone shows it
    print_coloured = partial(_print, plan) if format_ == "text" else None
    write_report(out, partial(_rendered, plan, format_), print_coloured)
    ctx.exit(1 if any(finding["level"] == "error" for finding in plan.reported) else 0)


def planned_stack(ctx: click.Context, stack: str, *, with_forecast: bool = False) -> "Plan":
    """Return the plan for a command's STACK argument, or print the description's errors and exit."""
    _, planned = planned_file(stack, with_forecast=with_forecast)
    if planned.plan is None:
        fail_without_plan(ctx, planned)
    return planned.plan


def fail_without_plan(ctx: click.Context, planned: "PlannedStack") -> NoReturn:
    """Print the errors that keep a stack from having a plan, and exit with code 1."""
    fail_for_errors(ctx, planned.file, planned.judgement, "can't make a plan: fix the errors first")


def planned_file(stack: str, *, with_forecast: bool = False) -> "tuple[StackFile, PlannedStack]":
    """Return a command's STACK argument as read and as planned."""
    from hpc_components.spec.project import find_project, project_of

    file = stack_file(stack)
    project = project_of(file.path) if is_file(stack) or stack == STDIN else find_project()
    from hpc_components.preview.recording import ProgramError
    from hpc_components.preview.stack import plan_file

    try:
        with redirect_stdout(sys.stderr):  # keep the program's own output out of the plan
            return file, plan_file(project, file, with_forecast=with_forecast)
    except ProgramError as error:
        missing = error.__cause__
        extras = {cloud_named(name).sdk: name for name in CLOUDS}
        if isinstance(missing, ModuleNotFoundError) and missing.name in extras:
            raise Refused(
                f"this stack needs the package {missing.name}, which is not installed; "
                f"install it with: pip install 'hpc-components[{extras[missing.name]}]'"
            ) from None
        raise Refused(f"the program for {file.stack} failed: {error}") from None


def _print(plan: "Plan") -> None:
    from hpc_components.preview.render.text import print_plan

    print_plan(plan)


def _rendered(plan: "Plan", format_: str, width: int) -> str:
    if format_ == "json":
        return plan.to_json()
    if format_ == "markdown":
        from hpc_components.preview.render.markdown import render_markdown

        return render_markdown(plan)
    if format_ == "html":
        from hpc_components.preview.render.html import render_html

        return render_html(plan)
    from hpc_components.preview.render.text import render_text

    return render_text(plan, width)
