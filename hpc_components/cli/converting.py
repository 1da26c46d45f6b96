import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hpc_components.cli.command import STDIN, Command, show
from hpc_components.cli.output import check_writable, say, write_text
from hpc_components.cli.terminal import in_colour, terminal_width

if TYPE_CHECKING:
    from hpc_components.convert.notes import Conversion
    from hpc_components.spec.report import Judged


@click.command(cls=Command)
@click.argument("file", metavar="FILE|-", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the stack file to this path (Pulumi.<stack>.yaml). [default: standard output]",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of the report. JSON includes the stack file.",
)
@click.pass_context
def convert(ctx: click.Context, file: Path, out: Path | None, format_: str) -> None:
    """Convert another tool's configuration (AWS ParallelCluster 3) to a stack file.

    For each key of FILE, the report gives the line number and shows whether the key was converted, corrected or
    dropped, or needs a decision. The report ends with the rules' findings for the new stack file. In the stack
    file, a comment marks each open decision. If the stack file goes to standard output, the report goes to standard
    error. The stack and its cluster are named after the --out file or, without --out, after FILE. An existing
    output file is overwritten. Exit code 0: converted; 1: some decisions are left to you, or the rules find errors;
    2: FILE can't be read, or its format can't be converted.

    \b
    Examples:
      hpc convert pcluster.yaml --out Pulumi.mine.yaml
      hpc convert pcluster.yaml > Pulumi.mine.yaml
      hpc convert pcluster.yaml --format json
    """
    from hpc_components.convert.formats import converted
    from hpc_components.convert.notes import Outcome, of_outcome
    from hpc_components.convert.report import json_report, text_report
    from hpc_components.convert.stack_file import stack_text
    from hpc_components.spec.project import STREAM, displayed, stream_text, text_of

    check_writable(out)
    if str(file) == STDIN:
        text, source = stream_text(sys.stdin.buffer), STREAM
    else:
        text, source = text_of(file, "a configuration to convert"), displayed(file)
    conversion = converted(text, source, _stack(file, out))
    stack = stack_text(conversion)
    if out is not None:
        write_text(out, stack)
    judged = _judged(conversion, stack, out)
    if format_ == "json":
        show(json_report(conversion, judged, stack))
    elif out is not None:
        show(text_report(conversion, judged, colour=in_colour(sys.stdout), width=terminal_width(sys.stdout)))
        say(f"wrote {displayed(out)}")
    else:
        show(stack, nl=False)
        colour, width = in_colour(sys.stderr), terminal_width(sys.stderr)
        click.echo(text_report(conversion, judged, colour=colour, width=width), err=True)
    is_open = bool(of_outcome(conversion.notes, Outcome.DECIDE) or judged.judgement.errors)
    ctx.exit(1 if is_open else 0)


def _stack(file: Path, out: Path | None) -> str:
    for path in (out, file):
        if path is not None and (found := re.fullmatch(r"Pulumi\.(.+)\.ya?ml", path.name)):
            return found[1]
    return "cluster" if str(file) == STDIN else file.stem


def _judged(conversion: "Conversion", stack: str, out: Path | None) -> "Judged":
    """Return the result of validating the written stack file together with the project's other stacks.

    If no file was written, validate only the text.
    """
    from hpc_components.spec.project import CLUSTER_KEY, displayed, open_stack_file
    from hpc_components.spec.report import Judged
    from hpc_components.spec.source import read_yaml
    from hpc_components.spec.validate import judge, judge_stack

    if out is not None and out.is_file():
        return Judged(displayed(out), judge_stack(open_stack_file(out)))
    name = f"Pulumi.{conversion.cluster['name']}.yaml"
    return Judged(name, judge(read_yaml(stack, name).below("config", CLUSTER_KEY)))
