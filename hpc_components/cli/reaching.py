"""`hpc ssh`, `hpc run` and `hpc copy`: the user's own ssh and scp, on the way that the stack's outputs describe."""

import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hpc_components.cli.command import Command, Refused, complete_stack, show

if TYPE_CHECKING:
    from hpc_components.operate.reach import Reach

WAYS = ("public", "tunnel", "login")

_COMMAND = "hpc_components.cli.reaching.command"


class WithCommand(Command):
    """A command of hpc that takes a command for a node after `--`, which may have any arguments."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **options: Any) -> click.Context:
        own, theirs = args, []
        if "--" in args:
            place = args.index("--")
            own, theirs = args[:place], args[place + 1 :]
        ctx = super().make_context(info_name, own, *rest, **options)
        ctx.meta[_COMMAND] = theirs
        return ctx

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND...]"]


def reach_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of all commands that reach a cluster. `reach_of` takes them."""
    for option in (
        click.option(
            "--outputs",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Read the stack's outputs from FILE (`pulumi stack output --json`) instead of asking pulumi.",
        ),
        click.option(
            "--via",
            type=click.Choice(WAYS),
            help="Way to the head node: its public address, the cloud's tunnel, or the login nodes. Default: the"
            " first that the cluster has.",
        ),
        click.option("--user", metavar="NAME", help="Account on the nodes. Default: the first user of the image."),
    ):
        function = option(function)
    return function


def reach_of(stack: str, outputs: Path | None, via: Any, user: str | None) -> "Reach":
    """Return the way to a stack's cluster. Raise ReachError if its outputs show no way."""
    from hpc_components.operate.reach import Reach
    from hpc_components.operate.stack_outputs import outputs_of_file, outputs_of_stack

    return Reach(outputs_of_file(outputs) if outputs else outputs_of_stack(stack), user=user, via=via)


def require_programs(reach: "Reach", node: str, *, copies: bool = False) -> None:
    """Raise `Refused` if a program is missing that the way to a node needs on this machine."""
    from hpc_components.operate.reach import what_is_missing

    if missing := what_is_missing(reach.programs(node, copies=copies)):
        raise Refused(missing)


_print = click.option("--print", "only_print", is_flag=True, help="Print the command line instead of running it.")


@click.command(cls=WithCommand)
@click.argument("stack", shell_complete=complete_stack)
@click.argument("node", default="head")
@reach_options
@_print
def ssh(stack: str, node: str, only_print: bool, **way: Any) -> None:
    """Log in to the head node, to NODE, or to a login node (`login`), or run COMMAND there.

    It runs your own ssh, with your keys and settings. Compute nodes are reached from the head node, which must admit
    you there: administrators, and people with a job on the node. Exit code: that of ssh; 2 if a program is missing or
    the stack can't be read.

    \b
    Examples:
      hpc ssh aws-cfd
      hpc ssh aws-cfd compute-queue-7
      hpc ssh aws-cfd login --user alice
      hpc ssh aws-cfd gpu-1 -- nvidia-smi -L
      hpc ssh aws-cfd --print                 show the ssh command line
    """
    reach = reach_of(stack, **way)
    _replace_by(reach, node, reach.ssh(node, click.get_current_context().meta[_COMMAND]), only_print)


@click.command(cls=WithCommand)
@click.argument("stack", shell_complete=complete_stack)
@reach_options
@_print
def run(stack: str, only_print: bool, **way: Any) -> None:
    """Run COMMAND on the head node.

    Its arguments arrive as you type them; for a pipe or a variable of the node, use `-- sh -c '...'`. Standard input
    and output are those of the command. Exit code: that of the command; 255 if the connection fails; 2 also if a
    program is missing or the stack can't be read.

    \b
    Examples:
      hpc run aws-cfd -- squeue --me
      hpc run aws-cfd -- sudo scontrol update nodename=gpu-7 state=resume
      hpc run aws-cfd -- sudo /opt/hpc/bin/hpc-elastic ledger export > november.tar.gz
    """
    command = click.get_current_context().meta[_COMMAND]
    if not command:
        raise Refused(f"no command; write it after two hyphens: hpc run {shlex.quote(stack)} -- squeue")
    reach = reach_of(stack, **way)
    _replace_by(reach, "head", reach.ssh("head", command), only_print)


@click.command(cls=Command)
@click.argument("source", metavar="SRC")
@click.argument("destination", metavar="DST")
@click.option("--node", default="head", show_default=True, metavar="NODE", help="`head` or `login`.")
@click.option("--recursive", "-r", is_flag=True, help="Copy folders with their content.")
@reach_options
@_print
def copy(source: str, destination: str, node: str, recursive: bool, only_print: bool, **way: Any) -> None:
    """Copy files to a cluster or from it, by your own scp.

    One of SRC and DST is STACK:path, as in scp: a path without a leading slash begins in the home directory. A colon
    after a slash does not count (`./a:b`). Exit code: that of scp; 2 also if a program is missing or the stack can't
    be read.

    \b
    Examples:
      hpc copy mesh.tar aws-cfd:/shared/cases/
      hpc copy -r aws-cfd:results .
      hpc copy --user alice --node login data.csv aws-cfd:
    """
    from hpc_components.operate.remote_path import copy_ends

    stack, from_, to, to_node = copy_ends(source, destination)
    reach = reach_of(stack, **way)
    line = reach.scp(from_, to, to_node=to_node, node=node, recursive=recursive)
    _replace_by(reach, node, line, only_print, copies=True)


def _replace_by(reach: "Reach", node: str, line: Sequence[str], only_print: bool, *, copies: bool = False) -> None:
    """Become the program of this command line, so that its exit code, signals and terminal are its own."""
    if only_print:
        show(shlex.join(line))
        return None
    require_programs(reach, node, copies=copies)
    os.execvp(line[0], list(line))
