"""`hpc preview`."""

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hpc_components.cli.command import (
    Command,
    Refused,
    complete_stack,
    in_colour,
    is_file,
    stack_file,
    terminal_width,
)

if TYPE_CHECKING:
    from hpc_components.preview.plan import Plan
    from hpc_components.preview.stack import PlannedStack

__all__ = ["preview"]

_WIDTH = 80
"""Columns of what goes to no terminal."""

_EXTRAS = {"pulumi_aws": "aws", "pulumi_azure_native": "azure", "pulumi_gcp": "gcp"}


@click.command(cls=Command)
@click.argument("stack", metavar="STACK", shell_complete=complete_stack)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "markdown", "html"]),
    default="text",
    show_default=True,
    help="How to write it.",
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.")
@click.pass_context
def preview(ctx: click.Context, stack: str, format_: str, out: Path | None) -> None:
    """Show what STACK will be, cost and need, without a cloud.

    Runs the stack's real program with the real SDKs, without credentials, Pulumi's CLI or network. STACK is a stack
    of this project, or a file; where there is no program beside it, the described cluster is planned. Exit code 0: no
    errors; 1: the rules or the checks of inputs find errors; 2: something can't be read or the program fails.

    \b
    Examples:
      hpc preview aws-cfd
      hpc preview aws-cfd --format html --out cfd.html
      hpc preview aws-cfd --format json | jq .cost.full
    """
    planned = _planned(stack)
    if planned.plan is None:
        from hpc_components.spec.report import Judged, report

        text = report([Judged(planned.file, planned.judgement)], "text", colour=in_colour())
        click.echo(f"{text}\nno plan: mend the errors first", err=True)
        ctx.exit(1)
    _write(planned.plan, format_, out)
    ctx.exit(1 if any(finding["level"] == "error" for finding in planned.plan.reported) else 0)


def _planned(stack: str) -> "PlannedStack":
    from hpc_components.spec.project import find_project, project_of

    file = stack_file(stack)
    project = project_of(file.path) if is_file(stack) else find_project()
    from hpc_components.preview.recording import ProgramError
    from hpc_components.preview.stack import plan_file

    try:
        with redirect_stdout(sys.stderr):  # what the program prints is no part of the plan
            return plan_file(project, file)
    except ProgramError as error:
        missing = error.__cause__
        if isinstance(missing, ModuleNotFoundError) and missing.name in _EXTRAS:
            raise Refused(
                f"this stack needs the package {missing.name}, which is not installed; "
                f"install it with: pip install 'hpc-components[{_EXTRAS[missing.name]}]'"
            ) from None
        raise Refused(f"the program of {file.stack} fails: {error}") from None


def _write(plan: "Plan", format_: str, out: Path | None) -> None:
    if format_ == "text" and out is None and in_colour():
        from hpc_components.preview.render.text import print_plan

        print_plan(plan)
        return
    width = terminal_width() if out is None else None
    text = _rendered(plan, format_, width or _WIDTH)
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Refused(f"{out} can't be written: {error.strerror}") from None
    click.echo(f"wrote {out}", err=True)


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
